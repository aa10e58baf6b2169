#include "trainer_server/job/prepared_training.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/files.h"
#include "base/paths/summed_file.h"
#include "config/config.h"
#include "loader/held_out.h"
#include "loader/sample_facts.h"
#include "loader/tensors.h"
#include "model_store/client/model_store_client.h"
#include "models/artefact_spec.h"
#include "models/torch/torch_device.h"
#include "preprocess/client/training_job.h"
#include "rpc/channel.h"
#include "storage/prepared_objects/open_host_store.h"
#include "trainer_server/folders/job_folder.h"
#include "trainer_server/job/prepared_batches.h"
#include "trainer_server/training/devices/training_device.h"
#include "trainer_server/training/learnable_batches.h"
#include "transform/cut_points.h"
#include "transform/randomness.h"

namespace tidemill::trainer_server {
namespace {

// The bytes of input that are scored together.
constexpr int64_t kScoredBytes = int64_t{1} << 20;

int64_t DrawOf(const v1::StartTrainingRequest& request) {
  return request.draw() == 0 ? request.trigger() : request.draw();
}

// Each rank on a GPU has one of its own.
absl::StatusOr<torch::Device> DeviceOf(const Ranks& ranks, torch::Device chosen) {
  if (!chosen.is_cuda()) return chosen;
  const int64_t num_devices{static_cast<unsigned char>(torch::cuda::device_count())};
  if (ranks.size() <= num_devices) {
    return torch::Device(torch::kCUDA, static_cast<torch::DeviceIndex>(ranks.rank()));
  }
  return FailedPrecondition(
      "the training has {} ranks, but the GPUs of its job are {}; leave training.ranks out, or "
      "write "
      "device: cpu",
      ranks.size(), num_devices);
}

// The loss that reads outputs and labels as those who use the model do. A program has its own.
models::LossSpec LossOfProgram(const transform::Graph& graph, int64_t outputs) {
  if (!graph.target() || graph.target()->type != batch::DataType::kInt64) {
    return models::PlainLossOf(std::nullopt);
  }
  return models::PlainLossOf(outputs == 1 ? models::ClassOutputs::kSigmoid
                                          : models::ClassOutputs::kSoftmax);
}

// One slice of each batch. It says how many samples all slices of an epoch have.
class SlicedBatches final : public loader::BatchSource {
 public:
  SlicedBatches(std::unique_ptr<loader::BatchSource> slices, int64_t num_samples)
      : slices_(std::move(slices)), num_samples_(num_samples) {}

  int64_t num_samples() const override { return num_samples_; }
  int64_t num_batches() const override { return slices_->num_batches(); }
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override { return slices_->Next(); }
  loader::PathWork work() const override { return slices_->work(); }

 private:
  const std::unique_ptr<loader::BatchSource> slices_;
  const int64_t num_samples_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<PreparedTraining>> PreparedTraining::Open(
    const std::string& folder, devices::OwnedDevice device, Ranks* ranks) {
  std::unique_ptr<PreparedTraining> training(new PreparedTraining(folder, std::move(device)));
  training->setup_.ranks = ranks;
  RETURN_IF_ERROR(training->ReadSpecs());
  training->HoldOut();
  training->ChooseMethod();
  RETURN_IF_ERROR(training->ReadFitted());
  RETURN_IF_ERROR(training->OpenCache());
  RETURN_IF_ERROR(training->ReadNetwork());
  return training;
}

absl::Status PreparedTraining::ReadSpecs() {
  ASSIGN_OR_RETURN(job_, ReadMessage<v1::TrainingJob>(folder_, kJobFile));
  ASSIGN_OR_RETURN(spec_,
                   config::ReadKept<models::TrainingSpec>(job_.request().training(), "training"));
  ASSIGN_OR_RETURN(model_, config::Read<models::ModelSpec>(job_.request().model(), "model"));
  *found_threads_ = job_.preparation().known_threads();
  setup_.model = model_;
  setup_.training = spec_;
  setup_.trigger = DrawOf(job_.request());
  MakeDeterministic(models::NumThreads(spec_, setup_.model));
  ASSIGN_OR_RETURN(setup_.device, models::TorchDeviceOf(device_));
  if (setup_.ranks != nullptr) {
    ASSIGN_OR_RETURN(setup_.device, DeviceOf(*setup_.ranks, setup_.device));
  }
  ASSIGN_OR_RETURN(opened_, trainer_server::Open(job_));
  setup_.bad = opened_.bad.get();
  for (const transform::ColumnSchema& input : opened_.graph->inputs()) {
    setup_.inputs[input.name] = {input.shape, input.type == batch::DataType::kInt64};
  }
  if (spec_.RunsProgram()) {
    spec_.loss = LossOfProgram(*opened_.graph, model_->NumOutputs());
    setup_.training.loss = spec_.loss;
  }
  return absl::OkStatus();
}

void PreparedTraining::HoldOut() {
  trained_ = opened_.set;
  if (!spec_.early_stopping) return;
  loader::DividedSet sets =
      loader::HoldOut(*opened_.set, spec_.early_stopping->held_out, spec_.seed);
  trained_ = std::make_shared<const loader::TrainingSet>(std::move(sets.trained));
  held_out_ = std::make_shared<const loader::TrainingSet>(std::move(sets.held_out));
  setup_.held_out = [this] {
    return OpenPass(SetPart::kHeldOut, {.batch_size = spec_.batch_size,
                                        .shuffle = {.seed = spec_.seed, .purpose = "held_out"},
                                        .order = models::InStreamOrder(),
                                        .training = false});
  };
}

// Rows do not depend on the epoch unless the graph is random, so that those which downsampling
// looks at and trains on are read once.
void PreparedTraining::ChooseMethod() {
  method_ = spec_.downsampling->MethodAt(job_.request().trigger());
  if (method_->IsNone()) return;
  if (spec_.decoded_budget.bytes > 0 && !transform::IsRandom(opened_.graph_spec)) {
    kept_ = std::make_shared<loader::DecodedSamples>(trained_->size(), spec_.decoded_budget.bytes);
  }
  setup_.num_losses = NumLosses(method_, trained_->size());
}

absl::Status PreparedTraining::ReadFitted() {
  const std::string folder =
      files::Join(files::Join(folder_, ".."), std::to_string(job_.request().fitted_trigger()));
  ASSIGN_OR_RETURN(const std::string bytes,
                   files::ReadSummed(files::Join(folder, kFittedFile), kMaxFittedBytes));
  const auto warnings = ReadMessage<v1::FitWarnings>(folder, kFitWarningsFile);
  if (!warnings.ok() && !absl::IsNotFound(warnings.status())) return warnings.status();
  if (warnings.ok()) fit_warnings_ = {warnings->warnings().begin(), warnings->warnings().end()};
  ASSIGN_OR_RETURN(transform::FittedState fitted, transform::FittedState::Decode(bytes));
  fitted_ = std::make_shared<const transform::FittedState>(std::move(fitted));
  return absl::OkStatus();
}

absl::Status PreparedTraining::OpenCache() {
  if (kept_ != nullptr || spec_.cache->IsOff()) return absl::OkStatus();
  const v1::PreparedStore& store = job_.preparation().prepared();
  loader::CacheSetup setup{
      .graph = opened_.graph,
      .fitted = fitted_,
      .identify =
          [storage = opened_.storage, dataset = DatasetId{job_.request().dataset_id()}](
              std::span<const int64_t> keys) { return storage->FindIdentities(dataset, keys); },
      .num_samples = opened_.set->size(),
      .uses = ExpectedUses(spec_, job_.request().trigger(), *opened_.set),
      .about = fmt::format("run {}, trigger {}", job_.request().command().run_id(),
                           job_.request().trigger())};
  ASSIGN_OR_RETURN(const auto connection, storage::ConnectionOfEnvironment());
  ASSIGN_OR_RETURN(setup.store,
                   storage::OpenHostStore({.memory_folder = store.memory_folder(),
                                           .memory_bytes = store.memory_bytes(),
                                           .disk_folder = store.disk_folder(),
                                           .disk_bytes = store.disk_bytes(),
                                           .keep_unused = {store.keep_unused_micros()},
                                           .object_store = store.object_store(),
                                           .object_store_bytes = store.object_store_bytes()},
                                          connection));
  if (const auto op = spec_.cache->AfterOp()) {
    setup.mode = loader::CacheMode::kAfter;
    ASSIGN_OR_RETURN(const transform::CutPoint point,
                     transform::CutPointAfter(*opened_.graph, *op));
    setup.after_op = point.last_op;
  }
  ASSIGN_OR_RETURN(cache_, loader::SampleCache::Create(std::move(setup)));
  return absl::OkStatus();
}

std::optional<loader::CacheReport> PreparedTraining::cache_report(
    const loader::PathWork& work) const {
  if (cache_ == nullptr) return std::nullopt;
  return cache_->report(work);
}

absl::Status PreparedTraining::ReadNetwork() {
  ASSIGN_OR_RETURN(setup_.model, WithNetworkFile(model_, folder_, opened_.peers));
  if (job_.request().parent_model_id() == 0) {
    if (!spec_.start_from) return absl::OkStatus();
    // Now, as a network of a user sees no service.
    ASSIGN_OR_RETURN(auto files, ReadStartWeights(*spec_.start_from, folder_, opened_.peers));
    setup_.start_weights = std::make_shared<const std::vector<std::string>>(std::move(files));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const rpc::Peer peer, opened_.peers.PeerOf("model_store"));
  model_store::ModelStoreClient model_store(peer);
  ASSIGN_OR_RETURN(setup_.parent_weights,
                   model_store.ReadPart(ModelId{job_.request().parent_model_id()},
                                        std::string(models::kWeightsPart)));
  return absl::OkStatus();
}

DownsamplingSetup PreparedTraining::Downsampling(std::function<absl::Status()> progress) const {
  return {
      .method = method_,
      .set = trained_,
      .open = [this](const loader::BatchPlan& plan) { return OpenPass(SetPart::kTrained, plan); },
      .folder = files::Join(folder_, kDownsamplingFolder),
      .progress = std::move(progress),
      .score_batch = ScoreBatch(),
      .find_times = [this] { return FindTimes(); }};
}

absl::StatusOr<std::unique_ptr<loader::BatchSource>> PreparedTraining::OpenBatches(
    int64_t first_batch) const {
  loader::BatchPlan plan = preprocess::PlanOfTraining(spec_, setup_.trigger);
  plan.first_batch = first_batch;
  Ranks* const ranks = setup_.ranks;
  if (ranks == nullptr) return OpenPass(SetPart::kTrained, plan);
  plan.slice = ranks->rank();
  plan.num_slices = ranks->size();
  ASSIGN_OR_RETURN(auto slices, OpenPass(SetPart::kTrained, plan));
  auto num_samples = static_cast<double>(slices->num_samples());
  RETURN_IF_ERROR(ranks->Sum({&num_samples, 1}));
  return std::make_unique<SlicedBatches>(std::move(slices), static_cast<int64_t>(num_samples));
}

// The times of what is trained on. Samples that storage does not know are never scored.
absl::StatusOr<SampleTimes> PreparedTraining::FindTimes() const {
  ASSIGN_OR_RETURN(
      loader::SampleFacts facts,
      loader::ReadSampleFacts(*opened_.storage, DatasetId{job_.request().dataset_id()}, *trained_));
  SampleTimes times{.event_times = std::move(facts.event_times),
                    .newest = std::numeric_limits<int64_t>::min()};
  for (size_t i = 0; i < times.event_times.size(); ++i) {
    if (facts.files[i] == loader::SampleFacts::kNoFile) continue;
    times.newest = std::max(times.newest, times.event_times[i]);
  }
  return times;
}

// As large as pays, and a power of two: beyond a megabyte of input larger batches are no faster.
int64_t PreparedTraining::ScoreBatch() const {
  int64_t row_bytes = 1;
  for (const transform::ColumnSchema& input : opened_.graph->inputs()) {
    row_bytes += input.Width() * static_cast<int64_t>(batch::SizeOf(input.type));
  }
  constexpr int64_t kMaxSamples = 1024;
  const int64_t fitting = std::clamp<int64_t>(kScoredBytes / row_bytes, 1, kMaxSamples);
  return std::max(spec_.batch_size,
                  static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(fitting))));
}

absl::StatusOr<std::unique_ptr<loader::BatchSource>> PreparedTraining::OpenPass(
    SetPart part, const loader::BatchPlan& plan) const {
  const bool is_trained = part == SetPart::kTrained;
  std::string group = rpc::NewRequestId();
  // The slices of a batch are made for one job of several consumers.
  if (plan.num_slices > 1) RETURN_IF_ERROR(setup_.ranks->Broadcast(0, group));
  ASSIGN_OR_RETURN(
      auto batches,
      OpenTrainingBatches(job_, opened_, spec_, {part, group},
                          PartsOf(is_trained ? trained_ : held_out_, is_trained ? kept_ : nullptr),
                          plan, OptionsOf(is_trained ? found_threads_ : held_out_threads_)));
  return Learnable(std::move(batches));
}

std::unique_ptr<loader::BatchSource> PreparedTraining::Learnable(
    std::unique_ptr<loader::BatchSource> source) const {
  return std::make_unique<LearnableBatches>(std::move(source), spec_.loss, model_->NumOutputs(),
                                            opened_.bad);
}

std::shared_ptr<const loader::Sharing> PreparedTraining::SharingOf() const {
  const v1::Preparation& preparation = job_.preparation();
  if (spec_.share == models::Share::kOff || preparation.share_folder().empty()) return nullptr;
  return std::make_shared<const loader::Sharing>(
      loader::Sharing{.folder = preparation.share_folder(),
                      .bytes = preparation.share_bytes(),
                      .is_strict = spec_.share == models::Share::kStrict,
                      .origin = loader::OriginOf(job_.request().dataset_id())});
}

loader::BatchParts PreparedTraining::PartsOf(std::shared_ptr<const loader::TrainingSet> set,
                                             std::shared_ptr<loader::DecodedSamples> kept) const {
  return {.set = std::move(set),
          .reader = opened_.reader,
          .graph = opened_.graph,
          .fitted = fitted_,
          .kept = std::move(kept),
          .cache = cache_,
          .bad = opened_.bad,
          .sharing = SharingOf()};
}

loader::StreamOptions PreparedTraining::OptionsOf(
    std::shared_ptr<std::atomic<int>> found_threads) const {
  const v1::Preparation& preparation = job_.preparation();
  // The ranks of a host share what a training may take.
  const int64_t ranks = setup_.ranks == nullptr ? 1 : setup_.ranks->size();
  const auto share = [ranks](int threads) {
    return threads == 0 ? 0 : static_cast<int>(std::max<int64_t>(1, threads / ranks));
  };
  return {.num_threads = share(preparation.threads()),
          .most_threads = share(preparation.most_threads()),
          .found_threads = std::move(found_threads),
          .bytes_ahead = std::max<int64_t>(1, preparation.bytes_ahead() / ranks),
          .settle = setup_.device.is_cuda() ? loader::PinTensors : loader::SettleRows()};
}

}  // namespace tidemill::trainer_server
