#include "evaluator/reading/preparing_workers.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "config/config.h"
#include "loader/batches/batch_maker.h"
#include "models/training/orders/order_spec.h"
#include "preprocess/client/dispatcher_client.h"
#include "preprocess/client/job_samples.h"
#include "preprocess/client/worker_source.h"
#include "preprocess/client/workers_spec.h"

namespace tidemill::evaluator {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kDispatcher[] = "preprocess";
// Fewer are prepared here before the first batch of a job has come.
constexpr int64_t kLeastSamples = 16'384;
// A worker that dies is replaced sooner; after that, preparing here is no slower than waiting.
constexpr std::chrono::milliseconds kPatience{2'000};
// A dispatcher that does not answer is not asked again for a while.
constexpr std::chrono::milliseconds kAnswerWithin{1'000};
constexpr std::chrono::seconds kPauseAfterSilence{30};
constexpr int64_t kLeastBytesAhead = int64_t{1} << 20;

class DispatchedWorkers final : public PreparingWorkers {
 public:
  DispatchedWorkers(PreparingJob job, const preprocess::WorkersSpec& spec, rpc::Peer dispatcher,
                    const storage::StorageClient& storage)
      : job_(std::move(job)),
        spec_(spec),
        peer_(std::move(dispatcher)),
        dispatcher_(Impatient(peer_)),
        storage_(storage) {}

  bool Take(int64_t num_samples) override {
    if (num_samples < kLeastSamples || Clock::now() < next_look_) return false;
    const auto known = dispatcher_.ListWorkers();
    if (!known.ok()) {
      next_look_ = Clock::now() + kPauseAfterSilence;
      log::Warn("no worker prepares samples, because the dispatcher does not answer",
                {{"job", job_.name}, {"error", std::string(known.status().message())}});
      return false;
    }
    return std::ranges::any_of(known->workers(), [](const preprocess::v1::Worker& worker) {
      return worker.state() == preprocess::v1::WORKER_STATE_ALIVE;
    });
  }

  absl::StatusOr<std::unique_ptr<loader::BatchSource>> Open(const RowsToPrepare& rows) override {
    const preprocess::JobSpec spec = SpecOf(rows);
    loader::BatchPlan plan = preprocess::PlanOf(spec, 0);
    plan.shuffle = {};  // Nothing is drawn.
    ASSIGN_OR_RETURN(auto maker, loader::BatchMaker::Create(PartsOf(rows), plan));
    preprocess::WorkerSourceOptions options{
        .dispatcher = peer_,
        .job_name = fmt::format("run-{}/{}/{}", job_.run.value, job_.name, rpc::NewRequestId()),
        .link = {.transport = spec_.transport, .compression = spec_.compression},
        .most_workers = spec_.most,
        .bytes_ahead = std::max(kLeastBytesAhead, spec_.bytes_ahead.bytes / rows.num_together),
        .patience = kPatience,
        .threads_here = ThreadsHere(rows)};
    ASSIGN_OR_RETURN(options.samples, preprocess::SamplesWithKeys(rows.keys));
    const auto& fitted = rows.graph->fitted;
    return preprocess::WorkerSource::Open(spec, fitted ? fitted->Encode() : "", std::move(maker),
                                          options);
  }

 private:
  static rpc::Peer Impatient(rpc::Peer peer) {
    peer.deadline = kAnswerWithin;
    return peer;
  }

  int ThreadsHere(const RowsToPrepare& rows) const {
    if (!spec_.training_helps) return 0;
    return std::max(1, job_.num_threads / static_cast<int>(rows.num_together));
  }

  preprocess::JobSpec SpecOf(const RowsToPrepare& rows) const {
    return {.run_id = job_.run.value,
            .dataset_id = job_.dataset.value,
            .dataset = job_.dataset_spec,
            .graph = rows.graph->spec,
            .batch_size = rows.batch_size,
            .order = models::InStreamOrder(),
            .cache = job_.cache,
            .uses = job_.uses,
            .finds_kept = true,
            .training = false,
            .standardize_target = false,
            .ignores_labels = rows.ignores_labels,
            .reports_bad = false};
  }

  // For batches that are made here when no worker sends any.
  loader::BatchParts PartsOf(const RowsToPrepare& rows) const {
    loader::SampleReader reader = loader::ReaderOf(storage_, job_.dataset);
    if (rows.ignores_labels) reader = loader::WithoutLabels(std::move(reader));
    auto set = std::make_shared<loader::TrainingSet>();
    set->keys.assign(rows.keys.begin(), rows.keys.end());
    const PreparedGraph& prepared = *rows.graph;
    return {.set = std::move(set),
            .reader = std::move(reader),
            .graph = {rows.graph, &prepared.graph},
            .fitted = {rows.graph, prepared.fitted ? &*prepared.fitted : nullptr},
            .cache = rows.cache};
  }

  const PreparingJob job_;
  const preprocess::WorkersSpec spec_;
  const rpc::Peer peer_;
  preprocess::DispatcherClient dispatcher_;
  const storage::StorageClient& storage_;
  Clock::time_point next_look_ = {};
};

}  // namespace

absl::StatusOr<std::unique_ptr<PreparingWorkers>> WorkersOf(const PreparingJob& job,
                                                            const rpc::JobPeers& peers,
                                                            const storage::StorageClient& storage) {
  if (job.workers.empty() || !peers.Has(kDispatcher)) return nullptr;
  ASSIGN_OR_RETURN(const auto spec,
                   config::ReadKept<preprocess::WorkersSpec>(job.workers, "workers"));
  ASSIGN_OR_RETURN(rpc::Peer dispatcher, peers.PeerOf(kDispatcher));
  return std::make_unique<DispatchedWorkers>(job, spec, std::move(dispatcher), storage);
}

}  // namespace tidemill::evaluator
