#include <cmath>
#include <limits>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "selector/testing/choosing.h"

namespace tidemill::selector {
namespace {

using testing::ChooseFrom;
using testing::ChooseInManyWays;
using testing::Chosen;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::Spec;
using testing::StreamOf;
using testing::Values;

SelectionSpec By(const std::string& sampling, const std::string& how_many) {
  return Spec(
      fmt::format("{{type: importance, column: score, sampling: {}, {}}}", sampling, how_many));
}

RandomKey OfSeed(int64_t seed) { return {.seed = seed, .purpose = "selection", .trigger = 1}; }

TEST(ImportancePolicy, IsUnbiasedForTheMeanOfAllCandidates) {
  Values scores({1, 2, 3, 4});
  const std::vector<double> x = {1, 0, 0, 5};
  for (const char* sampling : {"priority", "systematic"}) {
    double sum = 0;
    double squares = 0;
    constexpr int kSeeds = 3000;
    for (int seed = 0; seed < kSeeds; ++seed) {
      const Chosen chosen =
          ChooseFrom(By(sampling, "samples: 2"), StreamOf(4), OfSeed(seed), {.facts = &scores});
      ASSERT_THAT(chosen.rows, SizeIs(2));
      double estimate = 0;
      for (size_t i = 0; i < 2; ++i) {
        const double weight = chosen.weights.empty() ? 1 : chosen.weights[i];
        estimate += weight * x[static_cast<size_t>(chosen.rows[i])] / 2;
      }
      sum += estimate;
      squares += estimate * estimate;
    }
    const double mean = sum / kSeeds;
    const double error = std::sqrt((squares / kSeeds - mean * mean) / kSeeds);
    EXPECT_NEAR(mean, 1.5, 4 * error) << sampling;
  }
}

TEST(ImportancePolicy, DrawsWithTheProbabilitiesThatScoresCallFor) {
  Values scores({1, 2, 3, 4});
  std::vector<int> drawn(4);
  constexpr int kSeeds = 3000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Chosen chosen =
        ChooseFrom(By("systematic", "samples: 2"), StreamOf(4), OfSeed(seed), {.facts = &scores});
    for (const int64_t row : chosen.rows) ++drawn[static_cast<size_t>(row)];
  }
  for (size_t i = 0; i < 4; ++i) {
    const double probability = 0.2 * static_cast<double>(i + 1);
    EXPECT_NEAR(drawn[i], kSeeds * probability,
                5 * std::sqrt(kSeeds * probability * (1 - probability)));
  }
}

TEST(ImportancePolicy, LeavesOutWhatIsNotAScoreAndWhatIsMissing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinite = std::numeric_limits<float>::infinity();
  Values scores({1, nan, 2, infinite, -1, 3});  // The scores of 8 samples.
  for (const char* sampling : {"priority", "poisson", "systematic"}) {
    const Chosen chosen =
        ChooseFrom(By(sampling, "samples: 8"), StreamOf(8), OfSeed(1), {.facts = &scores});
    EXPECT_THAT(chosen.rows, ElementsAre(0, 2, 5)) << sampling;
    EXPECT_THAT(chosen.weights, IsEmpty()) << sampling;
    EXPECT_EQ(chosen.notes.num_left_out, 5) << sampling;
  }
}

TEST(ImportancePolicy, DrawsUniformlyWhenAllScoresAreZero) {
  Values scores(std::vector<float>(20, 0.0F));
  const Chosen chosen =
      ChooseFrom(By("priority", "samples: 5"), StreamOf(20), OfSeed(1), {.facts = &scores});
  EXPECT_THAT(chosen.rows, SizeIs(5));
  EXPECT_THAT(chosen.weights, IsEmpty());
}

TEST(ImportancePolicy, TakesNothingOfNone) {
  Values scores({});
  for (const char* sampling : {"priority", "poisson", "systematic"}) {
    EXPECT_THAT(
        ChooseFrom(By(sampling, "fraction: 0.5"), StreamOf(0), OfSeed(1), {.facts = &scores}).rows,
        IsEmpty());
    EXPECT_THAT(
        ChooseFrom(By(sampling, "fraction: 0.5"), StreamOf(3), OfSeed(1), {.facts = &scores}).rows,
        IsEmpty());
  }
}

TEST(ImportancePolicy, ChoosesTheSameInManyWays) {
  std::vector<float> numbers(300'000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 1000);
  Values scores(numbers);
  for (const char* sampling : {"priority", "poisson", "systematic"}) {
    const Chosen chosen = ChooseInManyWays(By(sampling, "fraction: 0.1, smoothing: 0.5"),
                                           StreamOf(300'000), OfSeed(3), {.facts = &scores});
    EXPECT_NEAR(static_cast<double>(chosen.rows.size()), 30'000, 900) << sampling;
    const double mean = std::accumulate(chosen.weights.begin(), chosen.weights.end(), 0.0) /
                        static_cast<double>(chosen.weights.size());
    EXPECT_NEAR(mean, 1, 0.03) << sampling;
  }
}

}  // namespace
}  // namespace tidemill::selector
