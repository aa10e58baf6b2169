// Trainings in this process that downsample samples in memory.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "base/digest.h"
#include "models/spec/mlp.h"
#include "models/training/optimizers/adam.h"
#include "trainer_server/downsampling/downsampled_source.h"
#include "trainer_server/downsampling/irreducible_losses.h"
#include "trainer_server/downsampling/spec/method_list.h"
#include "trainer_server/testing/memory_set.h"
#include "trainer_server/training/devices/training_device.h"

namespace tidemill::trainer_server::testing {

template <typename Method>
Method Keep(double fraction, Method method = {}) {
  method.fraction = fraction;
  return method;
}
template <typename Method>
Method ByBatch(Method method) {
  method.when = ScoreWhen::kBatchThenSample;
  return method;
}
template <typename Method>
Method EveryEpochs(int64_t period, Method method) {
  method.period = period;
  return method;
}

struct Recorded {
  int64_t epoch = 0;
  int64_t index = 0;
  std::vector<int64_t> ordinals = {};
  std::vector<float> weights = {};

  friend bool operator==(const Recorded&, const Recorded&) = default;
};

// Records what passes.
class Recorder final : public loader::BatchSource {
 public:
  Recorder(loader::BatchSource& source, std::vector<Recorded>& batches)
      : source_(source), batches_(batches) {}
  int64_t num_samples() const override { return source_.num_samples(); }
  int64_t num_batches() const override { return source_.num_batches(); }
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override {
    ASSIGN_OR_RETURN(std::optional<loader::TrainingBatch> batch, source_.Next());
    if (!batch) return batch;
    Recorded recorded{.epoch = batch->epoch, .index = batch->index};
    if (const auto* const column = batch->rows.Find("ordinal")) {
      const auto values = column->Values<int64_t>();
      recorded.ordinals.assign(values.begin(), values.end());
    }
    if (const auto* const column = batch->rows.Find("weight")) {
      const auto values = column->Values<float>();
      recorded.weights.assign(values.begin(), values.end());
    }
    batches_.push_back(std::move(recorded));
    return batch;
  }

 private:
  loader::BatchSource& source_;
  std::vector<Recorded>& batches_;
};

struct Outcome {
  absl::Status status;
  std::string digest;
  std::vector<Recorded> batches;
  TrainingCounters counters;
  Tally tally;
  int64_t samples_total = 0;
  std::vector<std::string> checkpoints;

  std::vector<int64_t> OrdinalsOf(int64_t epoch) const {
    std::vector<int64_t> ordinals;
    for (const Recorded& batch : batches) {
      if (batch.epoch != epoch) continue;
      ordinals.insert(ordinals.end(), batch.ordinals.begin(), batch.ordinals.end());
    }
    std::sort(ordinals.begin(), ordinals.end());
    return ordinals;
  }
};

class DownsampledTraining : public ::testing::Test {
 protected:
  DownsampledTraining() {
    MakeDeterministic(1);
    char pattern[] = "/tmp/downsampling-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~DownsampledTraining() override { std::filesystem::remove_all(folder_); }

  static TrainingSetup Setup(models::TrainingSpec training = {}) {
    training.batch_size = 8;
    training.seed = 42;
    if (training.epochs == 1) training.epochs = 4;
    // So that a few steps change the network's answers.
    if (training.optimizer == models::OptimizerSpec(models::Adam{})) {
      training.optimizer = models::Adam{.lr = 0.02};
    }
    training.max_bad_fraction = 0.3;
    return {.model = models::Mlp{.hidden = {8}, .outputs = 3, .dropout = 0.2},
            .training = training,
            .trigger = 5};
  }

  DownsamplingSetup Downsampling(const models::DownsamplingSpec& method, MemorySet& set) {
    return {.method = method,
            .set = set.set(),
            .open = [&set](const loader::BatchPlan& plan) { return set.Open(plan); },
            .folder = folder_ + "/" + std::to_string(++num_folders_),
            .progress = [] { return absl::OkStatus(); },
            .score_batch = 32};
  }

  // Trains from the beginning, or from a checkpoint of such a training.
  Outcome Train(TrainingSetup setup, DownsamplingSetup downsampling,
                const std::string& checkpoint = "") {
    Outcome outcome;
    setup.num_losses = NumLosses(downsampling.method, downsampling.set->size());
    if (const auto auxiliary = downsampling.method->Auxiliary()) {
      const auto losses =
          FindIrreducibleLosses(*auxiliary, setup, downsampling, downsampling.folder + "/losses");
      EXPECT_TRUE(losses.ok()) << losses.status().ToString();
      downsampling.irreducible_losses = losses->numbers;
    }
    TrainingLoop loop(setup);
    if (!checkpoint.empty()) {
      const absl::Status restored = loop.Restore(checkpoint);
      EXPECT_TRUE(restored.ok()) << restored.ToString();
    }
    auto source = MakeDownsampledSource(downsampling, loop);
    outcome.status = source.status();
    if (!source.ok()) return outcome;
    Recorder recorder(**source, outcome.batches);
    outcome.status = loop.Run(recorder, [&](TrainingLoop& running) -> absl::Status {
      if (!running.can_checkpoint()) return absl::OkStatus();
      ASSIGN_OR_RETURN(std::string made, running.Checkpoint());
      outcome.checkpoints.push_back(std::move(made));
      return absl::OkStatus();
    });
    const auto weights = loop.Weights();
    if (weights.ok()) outcome.digest = Sha256(*weights);
    outcome.counters = loop.counters();
    outcome.tally = (*source)->tally();
    outcome.samples_total = (*source)->samples_total();
    return outcome;
  }
  Outcome Train(const models::DownsamplingSpec& method, MemorySet::Options options = {}) {
    MemorySet set(std::move(options));
    Outcome outcome = Train(Setup(), Downsampling(method, set));
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.ToString();
    return outcome;
  }

  std::string folder_;
  int num_folders_ = 0;
};

// Returns one method of each kind, with a share of 0.3.
inline std::vector<models::DownsamplingSpec> AllMethods() {
  Rs2 replacement = Keep<Rs2>(0.3);
  replacement.replacement = true;
  LossSampling poisson = Keep<LossSampling>(0.3);
  poisson.sampling = ScoreSampling::kPoisson;
  GradientNormSampling whole = Keep<GradientNormSampling>(0.3);
  whole.of = GradientOf::kLastLayer;
  whole.sampling = ScoreSampling::kSystematic;
  Margin balanced = Keep<Margin>(0.3);
  balanced.balance = true;
  Craig craig = Keep<Craig>(0.3);
  craig.part = 16;
  craig.of = GradientOf::kLastLayer;
  SubmodularGradients cut = Keep<SubmodularGradients>(0.3);
  cut.function = SetFunction::kGraphCut;
  cut.balance = false;
  RhoLoss twin = Keep<RhoLoss>(0.3);
  twin.twin = true;
  RhoLoss holdout = EveryEpochs(0, Keep<RhoLoss>(0.3));
  holdout.when = ScoreWhen::kSampleThenBatch;
  return {Keep<Rs2>(0.3),
          replacement,
          Keep<UniformSubset>(0.3),
          Keep<LossSampling>(0.3),
          EveryEpochs(2, poisson),
          ByBatch(Keep<LossSampling>(0.3)),
          whole,
          EveryEpochs(0, Keep<LeastConfidence>(0.3)),
          balanced,
          EveryEpochs(3, Keep<Entropy>(0.3)),
          ByBatch(Keep<Entropy>(0.3)),
          Keep<El2n>(0.3),
          craig,
          Keep<GradMatch>(0.3),
          cut,
          twin,
          holdout,
          InfoBatch{}};
}

inline std::string NameOf(const models::DownsamplingSpec& method) {
  return std::string(method.type()) + " #" + std::to_string(method.index());
}

}  // namespace tidemill::trainer_server::testing
