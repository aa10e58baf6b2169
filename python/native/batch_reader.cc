#include "python/native/batch_reader.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "model_store/client/model_store_client.h"
#include "models/artefact_spec.h"
#include "models/training/training_draw.h"
#include "models/training/training_spec.h"
#include "preprocess/client/job_batches.h"
#include "preprocess/client/job_samples.h"
#include "preprocess/client/training_job.h"
#include "preprocess/worker/job_opener.h"
#include "rpc/access/tls.h"
#include "rpc/channel.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"
#include "transform/fitted_state.h"

namespace tidemill::python {
namespace {

class Stack {
 public:
  explicit Stack(const ReadRequest& request) : request_(request) {
    if (!request.tls) return;
    tls_ = std::make_shared<const rpc::TlsTexts>(
        rpc::TlsTexts{.certificate = request.tls->certificate,
                      .key = request.tls->key,
                      .ca = request.tls->ca,
                      .client_ca = {},
                      .verify = request.tls->by_service ? rpc::VerifiedName::kService
                                                        : rpc::VerifiedName::kHost});
  }

  absl::StatusOr<rpc::Peer> PeerOf(const std::string& service) const {
    const auto found = request_.endpoints.find(service);
    if (found == request_.endpoints.end()) {
      return FailedPrecondition(
          "the address of {} is not known; connect with the configuration of the cluster", service);
    }
    return rpc::Peer{
        .endpoint = found->second, .token = request_.token, .tls = tls_, .service = service};
  }

 private:
  const ReadRequest& request_;
  rpc::Tls tls_;
};

absl::StatusOr<models::TrainingSpec> TrainingOf(const ReadRequest& request,
                                                std::string_view pipeline) {
  ASSIGN_OR_RETURN(auto training,
                   config::ReadSection<models::TrainingSpec>(pipeline, "pipeline", "training"));
  if (request.batch_size) training.batch_size = *request.batch_size;
  if (request.epochs) training.epochs = *request.epochs;
  if (request.seed) training.seed = *request.seed;
  if (request.last_batch) training.last_batch = *request.last_batch;
  if (request.shuffle) {
    training.shuffle = *request.shuffle;
    training.order.reset();
  }
  return training;
}

// What the graph of a trigger's model has learned.
absl::StatusOr<std::shared_ptr<const transform::FittedState>> ReadFitted(
    const Stack& stack, const ReadRequest& request) {
  ASSIGN_OR_RETURN(rpc::Peer peer, stack.PeerOf("model_store"));
  model_store::ModelStoreClient models(std::move(peer));
  ASSIGN_OR_RETURN(const auto known, models.ListModels(RunId{request.run_id}));
  const auto model = std::find_if(known.begin(), known.end(), [&](const auto& one) {
    return one.trigger() == request.trigger;
  });
  if (model == known.end()) {
    return NotFound(
        "trigger {} of run {} has no model, and the batches are made with what its graph has "
        "learned; wait until it is trained",
        request.trigger, request.run_id);
  }
  ASSIGN_OR_RETURN(const std::string bytes,
                   models.ReadPart(ModelId{model->model_id()}, std::string(models::kFittedPart)));
  ASSIGN_OR_RETURN(transform::FittedState fitted, transform::FittedState::Decode(bytes));
  return std::make_shared<const transform::FittedState>(std::move(fitted));
}

// The number of random draws for trainings of the trigger.
absl::StatusOr<int64_t> DrawFor(const Stack& stack, const ReadRequest& request,
                                const models::TrainingSpec& training) {
  if (!training.reuse) return 0;
  ASSIGN_OR_RETURN(rpc::Peer peer, stack.PeerOf("selector"));
  selector::SelectorClient selector(std::move(peer));
  ASSIGN_OR_RETURN(const auto set, selector.GetTrainingSet(RunId{request.run_id}, request.trigger));
  return models::DrawOf(set.digest());
}

// A job as the dispatcher would describe it to a worker, and the pass over it.
struct Pass {
  preprocess::v1::GetJobResponse known;
  preprocess::JobSpec spec;
  preprocess::WorkersSpec workers;
};

absl::StatusOr<Pass> PassOf(const Stack& stack, const ReadRequest& request,
                            std::string_view pipeline, std::span<const int64_t> keys) {
  Pass pass;
  ASSIGN_OR_RETURN(const models::TrainingSpec training, TrainingOf(request, pipeline));
  ASSIGN_OR_RETURN(const auto preprocess, config::ReadSection<preprocess::PreprocessSpec>(
                                              pipeline, "pipeline", "preprocess"));
  pass.workers = preprocess.workers.value_or(preprocess::WorkersSpec());
  ASSIGN_OR_RETURN(const rpc::Peer storage, stack.PeerOf("storage"));
  ASSIGN_OR_RETURN(const auto dataset,
                   storage::StorageClient(storage).GetDataset(preprocess.dataset));
  preprocess::JobOrigin origin{.run_id = request.run_id,
                               .trigger = request.trigger,
                               .dataset_id = dataset.dataset_id(),
                               .dataset = dataset.spec(),
                               .graph = config::Print(preprocess.graph)};
  ASSIGN_OR_RETURN(origin.draw, DrawFor(stack, request, training));
  const int64_t draw = origin.draw == 0 ? request.trigger : origin.draw;
  loader::BatchPlan plan = preprocess::PlanOfTraining(training, draw);
  plan.num_slices = request.num_ranks;
  pass.spec = preprocess::JobOfTraining(origin, training, plan);
  // Readers report nothing, and one that reads at home keeps nothing.
  pass.spec.reports_bad = false;
  if (request.through == Through::kHere) pass.spec.cache = models::NoCache();
  if (!keys.empty()) {
    pass.spec.held_out.reset();
    pass.spec.mix.reset();
    ASSIGN_OR_RETURN(*pass.known.mutable_samples(), preprocess::SamplesWithKeys(keys));
  } else if (preprocess.workers && preprocess.workers->shards) {
    pass.spec.shards = preprocess.workers->shards;
    pass.spec.num_lanes = pass.spec.shards->count;
  }
  pass.known.set_spec(config::Print(pass.spec));
  pass.known.set_name("a reader in Python");
  return pass;
}

std::string JobNameOf(const ReadRequest& request) {
  return fmt::format("python/run-{}/trigger-{}/{}/{}-of-{}", request.run_id, request.trigger,
                     request.group.empty() ? rpc::NewRequestId() : request.group,
                     request.first_batch, request.num_ranks);
}

absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenSource(const Stack& stack,
                                                                const ReadRequest& request,
                                                                const Pass& pass) {
  ASSIGN_OR_RETURN(rpc::Peer selector, stack.PeerOf("selector"));
  ASSIGN_OR_RETURN(rpc::Peer storage, stack.PeerOf("storage"));
  const auto open = preprocess::MakeJobOpener(selector, storage);
  ASSIGN_OR_RETURN(preprocess::OpenedJob opened, open(pass.known));
  if (opened.parts.graph->needs_fit()) {
    ASSIGN_OR_RETURN(opened.parts.fitted, ReadFitted(stack, request));
  }
  if (pass.spec.shards && (request.num_ranks > 1 || request.stride > 1)) {
    return InvalidArgument(
        "a set in shards is read by one rank and one process; leave preprocess.workers.shards out "
        "of the pipeline to divide its batches");
  }
  loader::BatchPlan plan = preprocess::PlanOf(pass.spec, pass.spec.shards ? 0 : request.rank);
  plan.first_batch = request.first_batch;
  const preprocess::JobBatches batches{.spec = pass.spec,
                                       .samples = pass.known.samples(),
                                       .division = opened.division,
                                       .parts = opened.parts,
                                       .plan = plan};
  const auto num_threads = static_cast<int>(request.num_threads);
  const loader::StreamOptions here{.num_threads = num_threads,
                                   .bytes_ahead = request.bytes_ahead.bytes,
                                   .stride = request.stride};
  if (request.through == Through::kHere) return preprocess::OpenHere(batches, here);
  ASSIGN_OR_RETURN(rpc::Peer dispatcher, stack.PeerOf("preprocess"));
  dispatcher.token = request.worker_token;
  preprocess::JobWorkers workers{.dispatcher = std::move(dispatcher),
                                 .job_name = JobNameOf(request),
                                 .spec = pass.workers,
                                 .rows_are_writable = true};
  workers.spec.bytes_ahead = request.bytes_ahead;
  if (request.transport) workers.spec.transport = *request.transport;
  return preprocess::OpenAtWorkers(batches, workers, here);
}

}  // namespace

absl::StatusOr<std::unique_ptr<BatchReader>> BatchReader::Open(const ReadRequest& request,
                                                               std::string_view pipeline,
                                                               std::span<const int64_t> keys) {
  const Stack stack(request);
  ASSIGN_OR_RETURN(const Pass pass, PassOf(stack, request, pipeline, keys));
  ASSIGN_OR_RETURN(auto source, OpenSource(stack, request, pass));
  return std::unique_ptr<BatchReader>(
      new BatchReader(std::move(source), pass.spec.epochs, pass.spec.batch_size));
}

BatchReader::BatchReader(std::unique_ptr<loader::BatchSource> source, int64_t num_epochs,
                         int64_t batch_size)
    : source_(std::move(source)),
      num_samples_(source_->num_samples()),
      num_batches_(source_->num_batches()),
      num_epochs_(num_epochs),
      batch_size_(batch_size),
      thread_(std::make_unique<WorkerPool>("python-reader", 1)) {
  thread_->Submit([this] { TakeAhead(); });
}

void BatchReader::TakeAhead() {
  Batch batch = source_->Next();
  MutexLock lock(mutex_);
  next_ = std::move(batch);
  changed_.notify_all();
}

absl::StatusOr<BatchReader::Taken> BatchReader::Next(std::chrono::milliseconds patience) {
  if (thread_ == nullptr) return FailedPrecondition("the reader is closed");
  MutexLock lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!next_) {
    if (changed_.wait_until(mutex_, end) == std::cv_status::timeout) break;
  }
  if (!next_) return Taken{};
  if (!next_->ok()) return next_->status();
  // After the last batch, there is nothing to take ahead.
  if (!(*next_)->has_value()) return Taken{.is_ready = true};
  Taken taken{.is_ready = true, .batch = std::move(**next_)};
  next_.reset();
  thread_->Submit([this] { TakeAhead(); });
  return taken;
}

void BatchReader::Close() {
  thread_.reset();
  source_.reset();
}

}  // namespace tidemill::python
