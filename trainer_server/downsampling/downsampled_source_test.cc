#include "trainer_server/downsampling/downsampled_source.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "trainer_server/testing/downsampling_room.h"

namespace tidemill::trainer_server {
namespace {

using testing::AllMethods;
using testing::ByBatch;
using testing::DownsampledTraining;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::EveryEpochs;
using ::testing::HasSubstr;
using testing::Keep;
using testing::MemorySet;
using testing::NameOf;
using testing::Outcome;
using testing::Recorded;

TEST_F(DownsampledTraining, ResumedAtAnyBatchEndsWithTheSameBits) {
  for (const models::DownsamplingSpec& method : AllMethods()) {
    const MemorySet::Options options = {
        .class_of = [](int64_t ordinal) { return ordinal % 11 == 4 ? -1 : ordinal % 3; },
        .weights = std::vector<float>(100, 0.5f)};
    MemorySet set(options);
    const DownsamplingSetup downsampling = Downsampling(method, set);
    const Outcome whole = Train(Setup(), downsampling);
    ASSERT_TRUE(whole.status.ok()) << NameOf(method) << whole.status.ToString();
    ASSERT_GE(whole.checkpoints.size(), 4u) << NameOf(method);
    EXPECT_EQ(whole.counters.epoch, 4) << NameOf(method);
    EXPECT_EQ(whole.samples_total, whole.counters.samples) << NameOf(method);
    for (const std::string& checkpoint : whole.checkpoints) {
      torch::manual_seed(99);
      const Outcome resumed = Train(Setup(), downsampling, checkpoint);
      ASSERT_TRUE(resumed.status.ok()) << NameOf(method) << resumed.status.ToString();
      EXPECT_EQ(resumed.digest, whole.digest) << NameOf(method);
      EXPECT_EQ(resumed.tally.epochs.size(), whole.tally.epochs.size());
      for (size_t i = 0; i < whole.tally.epochs.size(); ++i) {
        EXPECT_EQ(resumed.tally.epochs[i].num_chosen, whole.tally.epochs[i].num_chosen);
        EXPECT_EQ(resumed.tally.epochs[i].num_scored, whole.tally.epochs[i].num_scored);
      }
      EXPECT_EQ(resumed.tally.num_skipped, whole.tally.num_skipped);
    }
  }
}

TEST_F(DownsampledTraining, BudgetsOfDecodedSamplesChangeNoBit) {
  for (const models::DownsamplingSpec& method : AllMethods()) {
    std::string digest;
    for (const int64_t budget : {0, 1, 300, 1'000'000}) {
      const Outcome outcome = Train(
          method, {.class_of = [](int64_t ordinal) { return ordinal % 9 == 4 ? -1 : ordinal % 3; },
                   .decoded_budget = budget});
      if (digest.empty()) digest = outcome.digest;
      EXPECT_EQ(outcome.digest, digest) << NameOf(method) << " with " << budget;
      // The other model of rho_loss has already found the holes.
      if (method.As<RhoLoss>() != nullptr) continue;
      EXPECT_GT(outcome.tally.num_skipped + outcome.counters.num_skipped, 0) << NameOf(method);
    }
  }
}

TEST_F(DownsampledTraining, WithRoomForAllASampleIsReadOnce) {
  for (const models::DownsamplingSpec& method : AllMethods()) {
    MemorySet set({.decoded_budget = 1'000'000});
    const Outcome outcome = Train(Setup(), Downsampling(method, set));
    ASSERT_TRUE(outcome.status.ok());
    EXPECT_LE(set.num_read(), 100) << NameOf(method);
  }
}

TEST_F(DownsampledTraining, AnEpochHasItsShareOfDifferentSamples) {
  for (const models::DownsamplingSpec& method : AllMethods()) {
    const Outcome outcome = Train(method);
    if (method.As<InfoBatch>() != nullptr) continue;
    for (int64_t epoch = 0; epoch < 4; ++epoch) {
      const std::vector<int64_t> ordinals = outcome.OrdinalsOf(epoch);
      EXPECT_EQ(std::set(ordinals.begin(), ordinals.end()).size(), ordinals.size());
      EXPECT_EQ(std::ssize(ordinals), outcome.tally.epochs[static_cast<size_t>(epoch)].num_chosen);
      EXPECT_LE(ordinals.size(), 42u) << NameOf(method);
      EXPECT_GE(ordinals.size(), 18u) << NameOf(method);
    }
    EXPECT_EQ(outcome.samples_total, outcome.counters.samples) << NameOf(method);
  }
}

TEST_F(DownsampledTraining, SamplesAreChosenAnewAfterEachPeriod) {
  const auto epochs = [&](int64_t period) {
    const Outcome outcome = Train(EveryEpochs(period, Keep<Margin>(0.3)));
    std::vector<std::vector<int64_t>> chosen;
    for (int64_t epoch = 0; epoch < 4; ++epoch) chosen.push_back(outcome.OrdinalsOf(epoch));
    std::vector<int64_t> scored;
    for (const Tally::Epoch& epoch : outcome.tally.epochs) scored.push_back(epoch.num_scored);
    return std::pair(chosen, scored);
  };
  const auto [each, scored_each] = epochs(1);
  EXPECT_THAT(scored_each, Each(100));
  EXPECT_NE(each[0], each[1]);
  const auto [two, scored_two] = epochs(2);
  EXPECT_THAT(scored_two, ElementsAre(100, 0, 100, 0));
  EXPECT_EQ(two[0], two[1]);
  EXPECT_NE(two[1], two[2]);
  const auto [once, scored_once] = epochs(0);
  EXPECT_THAT(scored_once, ElementsAre(100, 0, 0, 0));
  EXPECT_EQ(once[0], once[3]);
}

TEST_F(DownsampledTraining, RepeatedDrawsWithoutReplacementCoverTheSet) {
  const Outcome outcome = Train(Keep<Rs2>(0.3));
  std::set<int64_t> seen;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    for (const int64_t ordinal : outcome.OrdinalsOf(epoch)) {
      EXPECT_TRUE(seen.insert(ordinal).second) << "the first three epochs are disjoint";
    }
  }
  EXPECT_EQ(seen.size(), 90u);
  Rs2 replacement = Keep<Rs2>(0.3);
  replacement.replacement = true;
  const Outcome other = Train(replacement);
  std::set<int64_t> drawn;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    const auto ordinals = other.OrdinalsOf(epoch);
    drawn.insert(ordinals.begin(), ordinals.end());
  }
  EXPECT_LT(drawn.size(), 90u);
}

TEST_F(DownsampledTraining, AUniformSubsetIsTheSameInAllEpochs) {
  const Outcome outcome = Train(Keep<UniformSubset>(0.3));
  for (int64_t epoch = 1; epoch < 4; ++epoch) {
    EXPECT_EQ(outcome.OrdinalsOf(epoch), outcome.OrdinalsOf(0));
  }
  EXPECT_NE(outcome.batches[0], outcome.batches[4]) << "but in another order";
}

TEST_F(DownsampledTraining, WeightsMeetTheirSamplesByOrdinal) {
  std::vector<float> weights;
  for (int i = 0; i < 100; ++i) weights.push_back(static_cast<float>(1 + i));
  const auto holes = [](int64_t ordinal) { return ordinal % 7 == 2 ? -1 : ordinal % 3; };
  for (const models::DownsamplingSpec& method :
       {models::DownsamplingSpec(Keep<LossSampling>(0.3)),
        models::DownsamplingSpec(ByBatch(Keep<LossSampling>(0.3)))}) {
    const Outcome plain = Train(method, {.class_of = holes});
    const Outcome weighted = Train(method, {.class_of = holes, .weights = weights});
    // Before the first step both networks are the same, and so are their scores.
    ASSERT_EQ(plain.batches[0].ordinals, weighted.batches[0].ordinals);
    for (size_t i = 0; i < plain.batches[0].ordinals.size(); ++i) {
      const auto ordinal = static_cast<size_t>(plain.batches[0].ordinals[i]);
      EXPECT_NE(ordinal % 7, 2u);
      EXPECT_FLOAT_EQ(weighted.batches[0].weights[i],
                      plain.batches[0].weights[i] * weights[ordinal]);
    }
    for (const Recorded& batch : weighted.batches) {
      EXPECT_EQ(batch.ordinals.size(), batch.weights.size());
    }
  }
}

TEST_F(DownsampledTraining, WhatIsNotFiniteIsNeitherChosenNorFatal) {
  const auto is_broken = [](int64_t ordinal) { return ordinal % 10 == 3; };
  for (const models::DownsamplingSpec& method : AllMethods()) {
    // Those that look at no score, or whose other model cannot learn from such samples.
    if (method.As<Rs2>() != nullptr || method.As<UniformSubset>() != nullptr ||
        method.As<InfoBatch>() != nullptr || method.As<RhoLoss>() != nullptr) {
      continue;
    }
    const Outcome outcome = Train(method, {.is_broken = is_broken});
    for (const Recorded& batch : outcome.batches) {
      for (const int64_t ordinal : batch.ordinals) EXPECT_NE(ordinal % 10, 3) << NameOf(method);
    }
    EXPECT_GT(outcome.tally.num_not_finite, 0) << NameOf(method);
    EXPECT_EQ(outcome.counters.num_not_finite, 0) << NameOf(method);
  }
}

TEST_F(DownsampledTraining, WhenNoScoreIsFiniteTheTrainingEndsWithAReason) {
  for (const models::DownsamplingSpec& method : {models::DownsamplingSpec(Keep<LossSampling>(0.3)),
                                                 models::DownsamplingSpec(Keep<Craig>(0.3))}) {
    MemorySet set({.is_broken = [](int64_t) { return true; }});
    const Outcome outcome = Train(Setup(), Downsampling(method, set));
    EXPECT_EQ(outcome.status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(outcome.status.message()), HasSubstr("finite score"));
  }
  MemorySet set({.size = 1000, .is_broken = [](int64_t) { return true; }});
  const Outcome by_batch = Train(Setup(), Downsampling(ByBatch(Keep<LossSampling>(0.3)), set));
  EXPECT_THAT(std::string(by_batch.status.message()), HasSubstr("not a finite number"));
}

TEST_F(DownsampledTraining, TooManyHolesEndTheTraining) {
  for (const models::DownsamplingSpec& method :
       {models::DownsamplingSpec(Keep<Margin>(0.3)),
        models::DownsamplingSpec(ByBatch(Keep<Margin>(0.3)))}) {
    MemorySet set({.class_of = [](int64_t ordinal) { return ordinal % 2 == 0 ? -1 : 1; }});
    const Outcome outcome = Train(Setup(), Downsampling(method, set));
    EXPECT_EQ(outcome.status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(outcome.status.message()), HasSubstr("50 of 100 samples"));
    EXPECT_THAT(std::string(outcome.status.message()), HasSubstr("deleted"));
  }
}

TEST_F(DownsampledTraining, EverythingIsKeptWithoutALook) {
  for (const models::DownsamplingSpec& method :
       {models::DownsamplingSpec(Keep<LossSampling>(1)),
        models::DownsamplingSpec(ByBatch(Keep<LossSampling>(1))),
        models::DownsamplingSpec(Keep<Rs2>(1)), models::DownsamplingSpec(Keep<Craig>(1))}) {
    const Outcome outcome = Train(method);
    for (const Tally::Epoch& epoch : outcome.tally.epochs) {
      EXPECT_EQ(epoch.num_chosen, 100) << NameOf(method);
      EXPECT_EQ(epoch.num_scored, 0) << NameOf(method);
      EXPECT_EQ(epoch.effective_size(), 100) << NameOf(method);
    }
  }
}

TEST_F(DownsampledTraining, SetsOfNoneAndOfOneSampleAreTrainedOnAsFarAsTheyGo) {
  for (const models::DownsamplingSpec& method : AllMethods()) {
    MemorySet none({.size = 0});
    EXPECT_TRUE(Train(Setup(), Downsampling(method, none)).status.ok()) << NameOf(method);
    if (method.As<RhoLoss>() != nullptr) continue;  // There is no other sample.
    EXPECT_EQ(Train(method, {.size = 1}).counters.samples, 4) << NameOf(method);
    const Outcome one_class = Train(method, {.class_of = [](int64_t) { return 1; }});
    EXPECT_GT(one_class.counters.num_steps, 0) << NameOf(method);
  }
}

TEST_F(DownsampledTraining, BudgetsOfSamplesAndAccumulatedStepsCountWhatIsTrained) {
  MemorySet set({});
  const Outcome few = Train(Setup({.epochs = 4, .max_samples = config::Count{40}}),
                            Downsampling(Keep<Margin>(0.3), set));
  EXPECT_EQ(few.counters.samples, 46) << "an epoch of 30, and two batches of 8";
  const Outcome accumulated =
      Train(Setup({.epochs = 2, .accumulate = 3}), Downsampling(Keep<Margin>(0.3), set));
  EXPECT_EQ(accumulated.counters.num_steps, 4) << "three batches and a rest in each epoch";
}

TEST_F(DownsampledTraining, AStepOfLargeBatchesHasItsSize) {
  const Outcome outcome = Train(ByBatch(Keep<Entropy>(0.25)), {.size = 100});
  // Three large batches of 32, then four samples.
  std::vector<size_t> sizes;
  for (const Recorded& batch : outcome.batches) sizes.push_back(batch.ordinals.size());
  EXPECT_THAT(std::vector<size_t>(sizes.begin(), sizes.begin() + 4), ElementsAre(8, 8, 8, 1));
  EXPECT_EQ(LargeBatch(128, 0.1), 1280);
  EXPECT_EQ(LargeBatch(128, 0.3), 427);
  EXPECT_EQ(LargeBatch(8, 1), 8);
}

}  // namespace
}  // namespace tidemill::trainer_server
