#include "trainer_server/job/prepared_batches.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/logs/log.h"
#include "config/config.h"
#include "preprocess/client/job_batches.h"
#include "preprocess/client/job_samples.h"
#include "preprocess/client/set_division.h"
#include "preprocess/client/training_job.h"
#include "preprocess/client/workers_spec.h"

namespace tidemill::trainer_server {
namespace {

constexpr char kDispatcher[] = "preprocess";

// An estimate: for fewer samples, setting up a job takes longer than workers could save.
constexpr int64_t kLeastSamplesOfJob = 128;

preprocess::JobSpec SpecOf(const v1::StartTrainingRequest& request,
                           const models::TrainingSpec& training, SetPart part,
                           const loader::TrainingSet& set, const loader::BatchPlan& plan) {
  preprocess::JobSpec spec = preprocess::JobOfTraining({.run_id = request.command().run_id(),
                                                        .trigger = request.trigger(),
                                                        .dataset_id = request.dataset_id(),
                                                        .dataset = request.dataset_spec(),
                                                        .graph = request.graph(),
                                                        .draw = request.draw()},
                                                       training, plan);
  spec.uses = ExpectedUses(training, request.trigger(), set);
  if (part == SetPart::kTrained) return spec;
  spec.mix.reset();
  if (spec.held_out) spec.held_out->measured = true;
  return spec;
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
  const preprocess::JobBatches batches = {
      .spec = spec, .samples = samples, .division = division, .parts = parts, .plan = plan};
  if (!workers || !opened.peers.Has(kDispatcher)) return preprocess::OpenHere(batches, here);
  ASSIGN_OR_RETURN(rpc::Peer dispatcher, opened.peers.PeerOf(kDispatcher));
  return preprocess::OpenAtWorkers(
      batches,
      {.dispatcher = std::move(dispatcher),
       // Another process may have begun this training, with its own job that has come further.
       .job_name = fmt::format("run-{}/trigger-{}/{}", spec.run_id, spec.trigger, wanted.group),
       .spec = *workers},
      here);
}

}  // namespace tidemill::trainer_server
