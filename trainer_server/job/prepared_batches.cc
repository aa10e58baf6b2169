#include "trainer_server/job/prepared_batches.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "config/config.h"
#include "preprocess/client/job_samples.h"
#include "preprocess/client/set_division.h"
#include "preprocess/client/sharded_source.h"
#include "preprocess/client/worker_source.h"
#include "preprocess/client/workers_spec.h"

namespace tidemill::trainer_server {
namespace {

constexpr char kDispatcher[] = "preprocess";

// An estimate: for fewer samples, setting up a job takes longer than workers could save.
constexpr int64_t kLeastSamplesOfJob = 128;

preprocess::JobSpec SpecOf(const v1::StartTrainingRequest& request,
                           const models::TrainingSpec& training, SetPart part,
                           const loader::TrainingSet& set, const loader::BatchPlan& plan) {
  preprocess::JobSpec spec = {.run_id = request.command().run_id(),
                              .trigger = request.trigger(),
                              .dataset_id = request.dataset_id(),
                              .dataset = request.dataset_spec(),
                              .graph = request.graph(),
                              .batch_size = plan.batch_size,
                              .epochs = plan.epochs,
                              .first_epoch = plan.first_epoch,
                              .seed = plan.shuffle.seed,
                              .purpose = preprocess::OrderPurposeOf(plan.shuffle.purpose),
                              .draw = request.draw(),
                              .order = plan.order,
                              .cache = training.cache,
                              .uses = ExpectedUses(training, request.trigger(), set),
                              .training = plan.training,
                              .shares = training.share != models::Share::kOff,
                              .last_batch = plan.last_batch,
                              .num_lanes = plan.num_slices,
                              .buckets = plan.buckets};
  if (part == SetPart::kTrained) spec.mix = training.mix;
  if (training.early_stopping) {
    spec.held_out = {.share = training.early_stopping->held_out,
                     .seed = training.seed,
                     .measured = part == SetPart::kHeldOut};
  }
  if (plan.draw) {
    spec.repeated_draw = {.samples = plan.draw->samples, .replacement = plan.draw->replacement};
  }
  return spec;
}

// All that batches are opened with.
struct Request {
  const OpenedJob& opened;
  const preprocess::JobSpec& spec;
  const preprocess::v1::JobSamples& samples;
  const preprocess::SetDivision& division;
  const loader::BatchParts& parts;
  const loader::BatchPlan& plan;  // The plan of the whole set.
  const loader::StreamOptions& here;
  const std::string& group;
};

std::string FittedOf(const loader::BatchParts& parts) {
  return parts.fitted == nullptr ? "" : parts.fitted->Encode();
}

absl::StatusOr<preprocess::WorkerSourceOptions> OptionsOf(const Request& request,
                                                          const preprocess::WorkersSpec& workers) {
  ASSIGN_OR_RETURN(rpc::Peer dispatcher, request.opened.peers.PeerOf(kDispatcher));
  return preprocess::WorkerSourceOptions{
      .dispatcher = std::move(dispatcher),
      // Another process may have begun this training, with its own job that has come further.
      .job_name = fmt::format("run-{}/trigger-{}/{}", request.spec.run_id, request.spec.trigger,
                              request.group),
      .link = {.transport = workers.transport, .compression = workers.compression},
      .most_workers = workers.most,
      .bytes_ahead = workers.bytes_ahead.bytes,
      .threads_here = workers.training_helps ? request.here.num_threads : 0,
      .settle = request.here.settle,
      .samples = request.samples};
}

absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenHere(const Request& request) {
  if (!request.spec.shards) {
    return loader::BatchStream::Create(
        request.parts, preprocess::PlanOf(request.division, request.plan, 0), request.here);
  }
  ASSIGN_OR_RETURN(preprocess::ShardLanes lanes,
                   preprocess::LanesOf(request.division, request.parts, request.plan));
  const auto num_lanes = std::ssize(lanes.plans);
  std::vector<std::unique_ptr<loader::BatchSource>> streams;
  for (const loader::BatchPlan& plan : lanes.plans) {
    ASSIGN_OR_RETURN(auto stream, loader::BatchStream::Create(
                                      request.parts, plan,
                                      {.num_threads = 1,
                                       .bytes_ahead = request.here.bytes_ahead / num_lanes,
                                       .settle = request.here.settle}));
    streams.push_back(std::move(stream));
  }
  return std::make_unique<loader::InterleavedSource>(
      std::move(streams), std::move(lanes.interleave), lanes.num_samples, request.plan.first_batch);
}

absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenAtWorkers(
    const Request& request, const preprocess::WorkersSpec& workers) {
  const std::string fitted = FittedOf(request.parts);
  // Workers share their rows. This process makes only what they do not.
  loader::BatchParts parts = request.parts;
  parts.sharing = nullptr;
  ASSIGN_OR_RETURN(const preprocess::WorkerSourceOptions options, OptionsOf(request, workers));
  if (request.spec.shards) {
    return preprocess::ShardedSource::Open(request.spec, fitted, parts, request.division,
                                           request.plan, options);
  }
  ASSIGN_OR_RETURN(auto maker, loader::BatchMaker::Create(
                                   parts, preprocess::PlanOf(request.division, request.plan, 0)));
  // A training that had its last batch before it was interrupted has no use for workers.
  if (request.plan.first_batch >= maker->end()) return OpenHere(request);
  return preprocess::WorkerSource::Open(request.spec, fitted, std::move(maker), options);
}

absl::StatusOr<std::optional<preprocess::WorkersSpec>> WorkersOf(
    const v1::StartTrainingRequest& request) {
  if (request.workers().empty()) return std::optional<preprocess::WorkersSpec>();
  ASSIGN_OR_RETURN(const auto workers,
                   config::Read<preprocess::WorkersSpec>(request.workers(), "workers"));
  return std::optional(workers);
}

// Whether workers can make the batches of a plan, and whether that pays. `samples` gets the chosen
// samples.
bool MayTravel(const loader::BatchPlan& plan, const loader::BatchParts& parts,
               preprocess::v1::JobSamples& samples) {
  int64_t num_samples = plan.draw ? plan.draw->samples : parts.set->size();
  if (plan.subset != nullptr) num_samples = plan.subset->size();
  if (num_samples * plan.epochs < kLeastSamplesOfJob) return false;
  if (plan.subset == nullptr) return true;
  absl::StatusOr<preprocess::v1::JobSamples> chosen = preprocess::ChosenSamples(*plan.subset);
  if (!chosen.ok()) {
    log::Warn("this process prepares the samples that were chosen, instead of workers",
              {{"reason", std::string(chosen.status().message())}});
    return false;
  }
  samples = *std::move(chosen);
  return true;
}

}  // namespace

double ExpectedUses(const models::TrainingSpec& training, int64_t trigger,
                    const loader::TrainingSet& set) {
  const double passes = (training.downsampling->MethodAt(trigger)->IsNone() ? 1 : 2) *
                        static_cast<double>(training.epochs);
  // A sample stays for 1 / (1 - share) triggers if each keeps that share. Further ahead than this
  // nothing is expected.
  constexpr double kMostTriggers = 4;
  const double again = std::min(set.selected_again, 1 - 1 / (1 + kMostTriggers));
  return passes * (1 + again / (1 - again)) - 1;
}

absl::StatusOr<std::unique_ptr<loader::BatchSource>> OpenTrainingBatches(
    const v1::TrainingJob& job, const OpenedJob& opened, const models::TrainingSpec& training,
    const WantedBatches& wanted, const loader::BatchParts& parts, const loader::BatchPlan& plan,
    const loader::StreamOptions& here) {
  const SetPart part = wanted.part;
  preprocess::JobSpec spec = SpecOf(job.request(), training, part, *parts.set, plan);
  ASSIGN_OR_RETURN(std::optional<preprocess::WorkersSpec> workers, WorkersOf(job.request()));
  if (workers && workers->shards && part == SetPart::kTrained) {
    spec.shards = workers->shards;
    spec.num_lanes = spec.shards->count;
  }
  ASSIGN_OR_RETURN(const preprocess::SetDivision division,
                   preprocess::DivideSet(spec, *parts.set, plan.subset, *opened.storage));
  preprocess::v1::JobSamples samples;
  if (workers && !MayTravel(plan, parts, samples)) workers.reset();
  const Request request = {.opened = opened,
                           .spec = spec,
                           .samples = samples,
                           .division = division,
                           .parts = parts,
                           .plan = plan,
                           .here = here,
                           .group = wanted.group};
  if (!workers || !opened.peers.Has(kDispatcher)) return OpenHere(request);
  return OpenAtWorkers(request, *workers);
}

}  // namespace tidemill::trainer_server
