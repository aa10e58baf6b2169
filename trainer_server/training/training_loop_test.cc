#include "trainer_server/training/training_loop.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "base/random.h"

namespace tidemill::trainer_server {
namespace {

constexpr int64_t kWidth = 6;

// Batches out of memory: row r has inputs and a target that are functions of its ordinal. A second
// implementation of the loop's only source of data.
class MemorySource : public loader::BatchSource {
 public:
  struct Options {
    int64_t samples = 50;
    int64_t batch_size = 8;
    int64_t epochs = 2;
    int64_t first_batch = 0;
    bool weighted = false;
    // Called for each ordinal: a number to put into its input, or none for a hole.
    std::function<std::optional<float>(int64_t ordinal)> value = [](int64_t) { return 0.0f; };
  };

  explicit MemorySource(Options options)
      : options_(std::move(options)), next_(options_.first_batch) {}

  int64_t num_samples() const override { return options_.samples; }
  int64_t num_batches() const override {
    return (options_.samples + options_.batch_size - 1) / options_.batch_size;
  }

  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override {
    if (next_ == num_batches() * options_.epochs) return std::optional<loader::TrainingBatch>();
    loader::TrainingBatch batch{.epoch = next_ / num_batches(), .index = next_ % num_batches()};
    ++next_;
    const int64_t from = batch.index * options_.batch_size;
    const int64_t to = std::min(from + options_.batch_size, options_.samples);
    std::vector<int64_t> ordinals;
    for (int64_t ordinal = from; ordinal < to; ++ordinal) {
      if (options_.value(ordinal)) ordinals.push_back(ordinal);
    }
    batch.num_skipped = to - from - static_cast<int64_t>(ordinals.size());
    if (batch.num_skipped > 0) batch.reason = "sample 7: unreadable";
    if (!ordinals.empty()) batch.rows = MakeRows(ordinals);
    return std::optional<loader::TrainingBatch>(std::move(batch));
  }

 private:
  batch::Batch MakeRows(const std::vector<int64_t>& ordinals) const {
    batch::Batch rows(static_cast<int64_t>(ordinals.size()));
    std::vector<float> input;
    std::vector<int64_t> target;
    std::vector<float> weight;
    for (const int64_t ordinal : ordinals) {
      for (int64_t i = 0; i < kWidth; ++i) {
        const double noise = RandomUnit({.seed = 3, .purpose = "test"}, ordinal * kWidth + i);
        input.push_back(static_cast<float>(noise) + *options_.value(ordinal));
      }
      target.push_back(ordinal % 3);
      weight.push_back(static_cast<float>(1 + ordinal % 4));
    }
    EXPECT_TRUE(rows.Set(batch::MakeColumn<int64_t>("key", ordinals)).ok());
    EXPECT_TRUE(rows.Set(batch::MakeColumn<int64_t>("ordinal", ordinals)).ok());
    EXPECT_TRUE(rows.Set(batch::MakeColumn<float>("input", input, {kWidth})).ok());
    EXPECT_TRUE(rows.Set(batch::MakeColumn<int64_t>("target", target)).ok());
    if (options_.weighted) {
      EXPECT_TRUE(rows.Set(batch::MakeColumn<float>("weight", weight)).ok());
    }
    return rows;
  }

  const Options options_;
  int64_t next_;
};

TrainingSetup MakeSetup(models::OptimizerSpec optimizer = models::Adam{.lr = 0.01}) {
  TrainingSetup setup;
  setup.model = models::Mlp{.hidden = {16}, .outputs = 3, .dropout = 0.3};
  setup.training = {.batch_size = 8, .optimizer = std::move(optimizer), .seed = 42};
  setup.trigger = 5;
  return setup;
}

absl::Status Nothing(TrainingLoop&) { return absl::OkStatus(); }

std::string DigestOfWeights(const TrainingLoop& loop) {
  const auto weights = loop.Weights();
  EXPECT_TRUE(weights.ok()) << weights.status().ToString();
  return Sha256(weights.value_or(""));
}

absl::StatusOr<TrainingCounters> Train(const TrainingSetup& setup, MemorySource::Options options) {
  TrainingLoop loop(setup);
  MemorySource source(std::move(options));
  RETURN_IF_ERROR(loop.Run(source, Nothing));
  RETURN_IF_ERROR(loop.Weights().status());
  return loop.counters();
}

class Resume : public testing::TestWithParam<models::OptimizerSpec> {};

TEST_P(Resume, AtAnyBatchGivesTheBitsOfAnUninterruptedTraining) {
  const TrainingSetup setup = MakeSetup(GetParam());
  MakeDeterministic(setup.training);
  const MemorySource::Options options = {.weighted = true, .value = [](int64_t ordinal) {
                                           return ordinal % 11 == 4 ? std::nullopt
                                                                    : std::optional<float>(0.0f);
                                         }};
  std::vector<std::string> checkpoints;
  TrainingLoop whole(setup);
  MemorySource source(options);
  const absl::Status status = whole.Run(source, [&](TrainingLoop& loop) {
    checkpoints.push_back(loop.Checkpoint().value());
    return absl::OkStatus();
  });
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_EQ(checkpoints.size(), 14u);
  for (const std::string& checkpoint : checkpoints) {
    torch::manual_seed(99);  // What the process did before must not matter.
    TrainingLoop resumed(setup);
    ASSERT_TRUE(resumed.Restore(checkpoint).ok());
    MemorySource::Options rest = options;
    rest.first_batch = resumed.counters().batches;
    MemorySource rest_source(rest);
    ASSERT_TRUE(resumed.Run(rest_source, Nothing).ok());
    EXPECT_EQ(DigestOfWeights(resumed), DigestOfWeights(whole));
    EXPECT_EQ(resumed.counters().samples, whole.counters().samples);
    EXPECT_EQ(resumed.counters().num_skipped, whole.counters().num_skipped);
    EXPECT_EQ(resumed.counters().last_epoch_loss, whole.counters().last_epoch_loss);
  }
}

INSTANTIATE_TEST_SUITE_P(TrainingLoop, Resume,
                         testing::Values(models::OptimizerSpec(models::Adam{}),
                                         models::OptimizerSpec(models::Sgd{.lr = 0.1}),
                                         models::OptimizerSpec(models::Sgd{.lr = 0.1,
                                                                           .momentum = 0.9})));

TEST(TrainingLoop, SeedAndTriggerDecideTheInitialisation) {
  const auto digest = [](int64_t seed, int64_t trigger) {
    TrainingSetup setup = MakeSetup();
    setup.training.seed = seed;
    setup.trigger = trigger;
    TrainingLoop loop(setup);
    MemorySource source({});
    EXPECT_TRUE(loop.Run(source, Nothing).ok());
    return DigestOfWeights(loop);
  };
  EXPECT_EQ(digest(1, 1), digest(1, 1));
  EXPECT_NE(digest(1, 1), digest(2, 1));
  EXPECT_NE(digest(1, 1), digest(1, 2));
}

TEST(TrainingLoop, AWarmStartGoesOnFromTheParent) {
  TrainingLoop parent(MakeSetup());
  MemorySource source({.epochs = 20});
  ASSERT_TRUE(parent.Run(source, Nothing).ok());
  TrainingSetup setup = MakeSetup(models::Sgd{.lr = 0});
  setup.parent_weights = parent.Weights().value();
  TrainingLoop child(setup);
  MemorySource more({.epochs = 1});
  ASSERT_TRUE(child.Run(more, Nothing).ok());
  EXPECT_EQ(DigestOfWeights(child), DigestOfWeights(parent));
}

TEST(TrainingLoop, AnEmptySetLeavesTheParentAsItIsAndIsAnErrorWithoutOne) {
  EXPECT_EQ(Train(MakeSetup(), {.samples = 0}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  TrainingLoop parent(MakeSetup());
  MemorySource source({});
  ASSERT_TRUE(parent.Run(source, Nothing).ok());
  TrainingSetup setup = MakeSetup();
  setup.parent_weights = parent.Weights().value();
  TrainingLoop child(setup);
  MemorySource none({.samples = 0});
  ASSERT_TRUE(child.Run(none, Nothing).ok());
  EXPECT_EQ(DigestOfWeights(child), DigestOfWeights(parent));
}

TEST(TrainingLoop, AHoleIsCountedAndTooManyEndTheTraining) {
  const auto one =
      Train(MakeSetup(), {.epochs = 1, .value = [](int64_t ordinal) {
                            return ordinal == 7 ? std::nullopt : std::optional<float>(0.0f);
                          }});
  ASSERT_TRUE(one.ok()) << one.status().ToString();
  EXPECT_EQ(one->num_skipped, 1);
  EXPECT_EQ(one->samples, 50);
  const auto many = Train(MakeSetup(), {.value = [](int64_t ordinal) {
                            return ordinal < 10 ? std::nullopt : std::optional<float>(0.0f);
                          }});
  EXPECT_EQ(many.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(many.status().message()), testing::HasSubstr("10 of 50 samples"));
  EXPECT_THAT(std::string(many.status().message()), testing::HasSubstr("sample 7: unreadable"));
}

TEST(TrainingLoop, ABatchWithoutAFiniteLossIsLeftOut) {
  const auto counters =
      Train(MakeSetup(), {.epochs = 1, .value = [](int64_t ordinal) {
                            return ordinal == 20 ? std::numeric_limits<float>::quiet_NaN() : 0.0f;
                          }});
  ASSERT_TRUE(counters.ok()) << counters.status().ToString();
  EXPECT_EQ(counters->num_not_finite, 1);
  EXPECT_EQ(counters->num_steps, 6);
  EXPECT_EQ(counters->batches, 7);
}

TEST(TrainingLoop, ALossThatStaysInfiniteEndsTheTraining) {
  const auto counters = Train(MakeSetup(), {.samples = 200, .value = [](int64_t) {
                                              return std::numeric_limits<float>::infinity();
                                            }});
  EXPECT_EQ(counters.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(counters.status().message()), testing::HasSubstr("learning rate"));
}

TEST(TrainingLoop, ATargetBeyondTheOutputsIsNamed) {
  TrainingSetup setup = MakeSetup();
  setup.model = models::Mlp{.hidden = {}, .outputs = 2};
  const auto counters = Train(setup, {});
  EXPECT_EQ(counters.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(counters.status().message()), testing::HasSubstr("class 2"));
}

TEST(TrainingLoop, ADamagedCheckpointIsRefused) {
  TrainingLoop loop(MakeSetup());
  MemorySource source({});
  ASSERT_TRUE(loop.Run(source, Nothing).ok());
  const std::string checkpoint = loop.Checkpoint().value();
  TrainingLoop other(MakeSetup());
  EXPECT_FALSE(other.Restore(checkpoint.substr(0, checkpoint.size() / 2)).ok());
  TrainingSetup more_threads = MakeSetup();
  more_threads.training.num_threads = 3;
  EXPECT_EQ(TrainingLoop(more_threads).Restore(checkpoint).code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tidemill::trainer_server
