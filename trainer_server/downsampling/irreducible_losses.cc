#include "trainer_server/downsampling/irreducible_losses.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "fmt/format.h"

#include "base/failpoints.h"
#include "subsets/sampling.h"
#include "trainer_server/downsampling/scoring.h"

namespace tidemill::trainer_server {
namespace {

using Part = std::shared_ptr<const loader::Subset>;  // Shared with the streams over it.

Part PartOf(std::vector<int64_t> ordinals) {
  return std::make_shared<const loader::Subset>(
      loader::Subset{.ordinals = std::move(ordinals), .weights = {}});
}

// What is left of [0, size).
Part Others(const loader::Subset& part, int64_t size) {
  std::vector<int64_t> all(static_cast<size_t>(size));
  std::iota(all.begin(), all.end(), int64_t{0});
  std::vector<int64_t> others;
  std::ranges::set_difference(all, part.ordinals, std::back_inserter(others));
  return PartOf(std::move(others));
}

TrainingSetup SetupOf(const models::AuxiliaryModel& auxiliary, const TrainingSetup& training) {
  TrainingSetup setup{.model = auxiliary.model.value_or(training.model),
                      .training = training.training,
                      .trigger = training.trigger,
                      .device = training.device};
  setup.training.epochs = auxiliary.epochs;
  setup.training.max_samples = std::nullopt;
  setup.training.early_stopping = std::nullopt;
  setup.training.downsampling = {};
  return setup;
}

// Trains a model on one part and notes its losses on the other.
absl::Status TrainAndAsk(const TrainingSetup& setup, const DownsamplingSetup& downsampling,
                         const Part& part, const Part& others, std::vector<float>& losses) {
  loader::BatchPlan plan{
      .batch_size = setup.training.batch_size,
      .epochs = setup.training.epochs,
      .shuffle = {.seed = setup.training.seed, .purpose = "auxiliary", .trigger = setup.trigger},
      .order = setup.training.EffectiveOrder(),
      .subset = part};
  TrainingLoop loop(setup);
  ASSIGN_OR_RETURN(const auto source, downsampling.open(plan));
  RETURN_IF_ERROR(loop.Run(*source, [&](TrainingLoop&) -> absl::Status {
    RETURN_IF_FAILPOINT("trainer_server.mid_auxiliary");
    return downsampling.progress();
  }));
  plan.batch_size = downsampling.score_batch;
  plan.epochs = 1;
  plan.order = models::InStreamOrder();
  plan.subset = others;
  plan.training = false;
  ASSIGN_OR_RETURN(const auto rest, downsampling.open(plan));
  ASSIGN_OR_RETURN(const Seen seen, LookAtAll(loop, {}, *rest, downsampling.progress));
  for (size_t i = 0; i < seen.ordinals.size(); ++i) {
    losses[static_cast<size_t>(seen.ordinals[i])] = static_cast<float>(seen.scores[i]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StoredNumbers> FindIrreducibleLosses(const models::AuxiliaryModel& auxiliary,
                                                    const TrainingSetup& training,
                                                    const DownsamplingSetup& downsampling,
                                                    const std::string& path) {
  if (absl::StatusOr<StoredNumbers> before = ReadNumbers(path); before.ok()) return before;
  const int64_t size = downsampling.set->size();
  StoredNumbers found;
  if (size < 2) {
    found.numbers.assign(static_cast<size_t>(size), 0);
    return found;
  }
  const auto start = std::chrono::steady_clock::now();
  found.numbers.assign(static_cast<size_t>(size), std::numeric_limits<float>::quiet_NaN());
  const double share = auxiliary.twin ? 0.5 : auxiliary.holdout;
  const int64_t num_held =
      std::clamp<int64_t>(std::llround(share * static_cast<double>(size)), 1, size - 1);
  const RandomKey key{.seed = training.training.seed,
                      .purpose = downsampling.method.type(),
                      .trigger = training.trigger};
  const Part held = PartOf(subsets::DrawUniformly(size, num_held, key));
  const Part others = Others(*held, size);
  const TrainingSetup setup = SetupOf(auxiliary, training);
  const auto ask = [&](const Part& part, const Part& rest) {
    return Annotate(TrainAndAsk(setup, downsampling, part, rest, found.numbers),
                    fmt::format("the auxiliary model of {}", downsampling.method.type()));
  };
  RETURN_IF_ERROR(ask(held, others));
  if (auxiliary.twin) RETURN_IF_ERROR(ask(others, held));
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RETURN_IF_ERROR(WriteNumbers(path, found.numbers, found.seconds));
  RETURN_IF_FAILPOINT("trainer_server.after_auxiliary");
  return found;
}

}  // namespace tidemill::trainer_server
