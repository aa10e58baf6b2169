#include "models/training/training_spec.h"

#include <string_view>
#include <utility>

#include "models/training/schedules/plateau.h"

namespace tidemill::models {
namespace {

// The settings that ranks do not support: each rank knows only its own part of a batch.
void CheckRanks(const TrainingSpec& training, config::Problems& problems) {
  if (training.least_ranks && *training.least_ranks > training.ranks) {
    problems.Add("least_ranks", "is more than `ranks`", "leave it out");
  }
  if (training.ranks == 1) return;
  if (training.device.kind == config::DeviceChoice::Kind::kCuda) {
    problems.Add("ranks", "train on processors, not on GPUs",
                 "write `device: cpu`, or leave it out");
  }
  if (training.precision == Precision::kFloat16) {
    problems.Add("ranks", "cannot be used with float16, whose factor belongs to a whole step",
                 "write `precision: bfloat16`");
  }
  if (training.ranks > training.batch_size) {
    problems.Add("ranks", "are more than the samples of a batch", "raise batch_size");
  }
  if (!training.downsampling->IsNone()) {
    problems.Add("ranks", "cannot be used with downsampling, which looks at all samples at once",
                 "leave one out");
  }
  if (training.augment) {
    problems.Add("ranks", "cannot be used with augment, which mixes rows of the whole batch",
                 "leave one out");
  }
  if (training.reuse && training.least_ranks.value_or(training.ranks) < training.ranks) {
    problems.Add("least_ranks",
                 "cannot be used with reuse: with fewer ranks, the weights are not the same",
                 "leave one out");
  }
}

// A schedule that waits for losses needs them.
void CheckPlateau(const TrainingSpec& training, const ScheduleSpec& schedule,
                  const std::string& path, config::Problems& problems) {
  const Plateau* const plateau = schedule->Watched();
  if (plateau == nullptr) return;
  if (plateau->loss == WatchedLoss::kHeldOut && !training.early_stopping) {
    problems.Add(path, "looks at the loss on held-out samples, but no samples are held out",
                 "add early_stopping, or write loss: training");
  }
  if (!plateau->every && training.epochs <= plateau->patience) {
    problems.Add(path,
                 fmt::format("looks once in each epoch and waits for {}, but there are {} epochs",
                             plateau->patience, training.epochs),
                 "write `every: 100` for a look after every 100 steps");
  }
}

void CheckSchedules(const TrainingSpec& training, config::Problems& problems) {
  CheckPlateau(training, training.schedule, "schedule", problems);
  for (size_t i = 0; i < training.optimizers.size(); ++i) {
    const ModuleOptimizer& one = training.optimizers[i];
    if (!one.schedule) continue;
    CheckPlateau(training, *one.schedule, fmt::format("optimizers[{}].schedule", i), problems);
  }
}

// What is not shared cannot be shared strictly.
void CheckShare(const TrainingSpec& training, config::Problems& problems) {
  if (training.share != Share::kStrict) return;
  const auto refuse = [&](std::string_view what) {
    problems.Add("share",
                 fmt::format("strict cannot be used with {}, whose batches are not shared", what),
                 "leave one out");
  };
  if (training.buckets) refuse("buckets");
  if (training.mix) refuse("mix");
  if (training.ranks > 1) refuse("ranks");
  if (!training.downsampling->IsNone()) refuse("downsampling");
}

// The settings that only Tidemill's own loop follows.
void CheckProgram(const TrainingSpec& training, config::Problems& problems) {
  training.program.Check(training.type.value_or(TrainingType::kNetwork), problems);
  if (!training.RunsProgram()) return;
  const TrainingSpec defaults;
  const std::pair<std::string_view, bool> without_effect[] = {
      {"accumulate", training.accumulate != defaults.accumulate},
      {"start_from", training.start_from.has_value()},
      {"frozen", !training.frozen.empty()},
      {"lora", training.lora.has_value()},
      {"ranks", training.ranks != defaults.ranks},
      {"optimizer", training.optimizer != defaults.optimizer},
      {"optimizers", !training.optimizers.empty()},
      {"schedule", training.schedule != defaults.schedule},
      {"loss", training.loss != defaults.loss},
      {"standardize_target", training.standardize_target.has_value()},
      {"gradient_clipping", training.gradient_clipping.has_value()},
      {"precision", training.precision != defaults.precision},
      {"average", training.average.has_value()},
      {"early_stopping", training.early_stopping.has_value()},
      {"augment", training.augment.has_value()},
      {"weighted_loss", training.weighted_loss != defaults.weighted_loss}};
  for (const auto& [key, is_given] : without_effect) {
    if (!is_given) continue;
    problems.Add(key, "cannot be used with a program, which learns in its own way",
                 "leave it out, and give the program its settings by `with`");
  }
  if (!training.downsampling->IsNone()) {
    problems.Add("downsampling", "cannot be used with a program, whose model scores no samples",
                 "leave it out, or choose samples by `selection`");
  }
  if (training.buckets && training.buckets->layout == RowLayout::kRagged) {
    problems.Add("buckets.layout", "ragged rows cannot be given to a program",
                 "write layout: padded");
  }
  if (training.device.kind == config::DeviceChoice::Kind::kCuda) {
    problems.Add("device", "a program trains on processors: its sandbox has no GPU",
                 "write device: cpu, or leave it out");
  }
  if (training.reuse) {
    problems.Add("reuse",
                 "cannot be used with a program, whose packages may change between trainings",
                 "leave it out");
  }
}

}  // namespace

std::vector<ModuleOptimizer> TrainingSpec::Optimizers() const {
  std::vector<ModuleOptimizer> all = optimizers;
  if (all.empty()) all.push_back({.modules = "*", .optimizer = optimizer});
  for (ModuleOptimizer& one : all) one.schedule = one.schedule.value_or(schedule);
  return all;
}

void TrainingSpec::Check(config::Problems& problems) const {
  CheckProgram(*this, problems);
  if (standardize_target && loss->IsOfClasses()) {
    problems.Add("standardize_target", "is for real labels, but the loss is for classes",
                 "leave it out, or use loss: mse");
  }
  if (max_samples && max_samples->value < 1) {
    problems.Add("max_samples", "must be at least 1", "leave it out for no budget");
  }
  if (reuse && device.kind == config::DeviceChoice::Kind::kCuda) {
    problems.Add("reuse",
                 "is for trainings on a CPU: a GPU does not make the same weights each time",
                 "write device: cpu, or leave reuse out");
  }
  if (!shuffle && order && !(*order)->KeepsStream()) {
    problems.Add("shuffle", "contradicts `order`", "leave shuffle out");
  }
  if (mix && !downsampling->IsNone()) {
    problems.Add("mix",
                 "cannot be used with downsampling because both choose the samples of an epoch",
                 "leave one out");
  }
  if (buckets && !downsampling->IsNone()) {
    problems.Add("buckets",
                 "cannot be used with downsampling because both choose the samples of a batch",
                 "leave one out");
  }
  if (last_batch != LastBatch::kKeep && !downsampling->IsNone()) {
    problems.Add("last_batch",
                 "cannot be used with downsampling, which decides how many samples an epoch has",
                 "leave one out");
  }
  if (augment && buckets) {
    problems.Add("augment", "cannot be used with buckets because rows of other lengths do not mix",
                 "leave one out");
  }
  CheckRanks(*this, problems);
  CheckShare(*this, problems);
  CheckSchedules(*this, problems);
  if (optimizers.empty()) return;
  if (optimizer != DefaultOptimizer()) {
    problems.Add("optimizer", "cannot be used with `optimizers`", "leave one out");
  }
  if (optimizers.back().modules != "*") {
    problems.Add("optimizers", "leave some parameters without an optimizer",
                 "end the list with {modules: \"*\", optimizer: ...}");
  }
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::TrainingSpec);
