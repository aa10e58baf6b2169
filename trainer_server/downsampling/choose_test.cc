#include "trainer_server/downsampling/choose.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "trainer_server/downsampling/spec/method_list.h"
#include "trainer_server/downsampling/tally.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr RandomKey kKey{.seed = 5, .purpose = "test"};

absl::StatusOr<Choice> Choose(const models::DownsamplingSpec& spec, const Seen& seen, int64_t k,
                              const RandomKey& random) {
  const Method method = MethodOf(spec);
  return Choose(*std::get<std::unique_ptr<const JudgingMethod>>(method), seen, k, random);
}

Seen SeenOf(std::vector<double> scores, std::vector<int64_t> classes = {}) {
  Seen seen{.scores = std::move(scores), .classes = std::move(classes)};
  for (size_t i = 0; i < seen.scores.size(); ++i) {
    seen.ordinals.push_back(100 + static_cast<int64_t>(i));
  }
  return seen;
}

std::vector<int64_t> OrdinalsOf(const absl::StatusOr<Choice>& choice) {
  EXPECT_TRUE(choice.ok()) << choice.status().ToString();
  return choice.ok() ? choice->subset.ordinals : std::vector<int64_t>();
}

template <typename Method>
Method Balanced() {
  Method method;
  method.balance = true;
  return method;
}

TEST(NumKept, IsTheShareRoundedDownAndAtLeastOne) {
  EXPECT_EQ(NumKept(0.1, 60'000), 6000);
  EXPECT_EQ(NumKept(0.3, 10), 3) << "0.3 * 10 is just below 3";
  EXPECT_EQ(NumKept(0.25, 7), 1);
  EXPECT_EQ(NumKept(0.01, 7), 1);
  EXPECT_EQ(NumKept(1, 7), 7);
  EXPECT_EQ(NumKept(0.5, 0), 0);
}

TEST(ShareOut, AddsUpAndForgetsNoGroup) {
  const auto share = [](std::vector<int64_t> counts, int64_t k) { return ShareOut(counts, k); };
  EXPECT_THAT(share({50, 30, 20}, 10), ElementsAre(5, 3, 2));
  EXPECT_THAT(share({97, 2, 1}, 10), ElementsAre(8, 1, 1));
  EXPECT_THAT(share({3, 3, 3}, 4), ElementsAre(2, 1, 1));
  EXPECT_THAT(share({5, 0, 5}, 2), ElementsAre(1, 0, 1));
  EXPECT_THAT(share({2, 3}, 100), ElementsAre(2, 3));
  EXPECT_THAT(share({5, 5, 5}, 2), ElementsAre(1, 1, 0));
  EXPECT_THAT(share({}, 2), IsEmpty());
}

TEST(Choose, TakesTheFirstInTheOrderOfTheMethodAndOfEqualOnesTheLower) {
  const Seen seen = SeenOf({0.4, 0.1, 0.3, 0.1, 0.9, 0.1});
  EXPECT_THAT(OrdinalsOf(Choose(Margin{}, seen, 2, kKey)), ElementsAre(101, 103));
  EXPECT_THAT(OrdinalsOf(Choose(LeastConfidence{}, seen, 4, kKey)),
              ElementsAre(101, 102, 103, 105));
  EXPECT_THAT(OrdinalsOf(Choose(Entropy{}, seen, 2, kKey)), ElementsAre(100, 104));
  EXPECT_THAT(OrdinalsOf(Choose(El2n{}, seen, 1, kKey)), ElementsAre(104));
  EXPECT_THAT(OrdinalsOf(Choose(RhoLoss{}, SeenOf({.1, .4, 2.5, -.2}), 2, kKey)),
              ElementsAre(101, 102));
  EXPECT_THAT(Choose(El2n{}, seen, 1, kKey)->subset.weights, IsEmpty());
}

TEST(Choose, NeverTakesAScoreThatIsNotFinite) {
  const Seen seen = SeenOf({kNan, 1, kInfinity, 2, -kInfinity, 3, kNan});
  for (const models::DownsamplingSpec& method :
       {models::DownsamplingSpec(Entropy{}), models::DownsamplingSpec(Margin{}),
        models::DownsamplingSpec(LossSampling{}), models::DownsamplingSpec(Balanced<El2n>())}) {
    Seen by_class = seen;
    by_class.classes = {0, 0, 1, 1, 2, 0, 0};
    const auto choice = Choose(method, by_class, 5, kKey);
    EXPECT_THAT(OrdinalsOf(choice), ElementsAre(101, 103, 105));
    EXPECT_EQ(choice->num_not_finite, 4);
  }
  EXPECT_EQ(Choose(Entropy{}, SeenOf({kNan, kNan}), 1, kKey).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(OrdinalsOf(Choose(Entropy{}, Seen{}, 1, kKey)), IsEmpty());
}

TEST(Choose, AsManyAsThereAreWeighOneEach) {
  for (const ScoreSampling sampling :
       {ScoreSampling::kPriority, ScoreSampling::kPoisson, ScoreSampling::kSystematic}) {
    LossSampling method;
    method.sampling = sampling;
    const auto choice = Choose(method, SeenOf({1, 2, 0.5}), 3, kKey);
    EXPECT_THAT(OrdinalsOf(choice), ElementsAre(100, 101, 102));
    EXPECT_THAT(choice->subset.weights, IsEmpty());
  }
}

TEST(Choose, ScoresOfZeroMakeAUniformDraw) {
  const auto choice = Choose(LossSampling{}, SeenOf(std::vector<double>(50, 0)), 5, kKey);
  EXPECT_THAT(OrdinalsOf(choice), SizeIs(5));
}

TEST(Choose, BalancedRanksAreThoseWithinAClass) {
  // All of class 0 score above all of class 1.
  const Seen seen = SeenOf({9, 8, 7, 6, 3, 2}, {0, 0, 0, 0, 1, 1});
  EXPECT_THAT(OrdinalsOf(Choose(Balanced<El2n>(), seen, 3, kKey)), ElementsAre(100, 101, 104));
  EXPECT_THAT(OrdinalsOf(Choose(El2n{}, seen, 3, kKey)), ElementsAre(100, 101, 102));
  const Seen one_class = SeenOf({9, 8, 7}, {4, 4, 4});
  EXPECT_THAT(OrdinalsOf(Choose(Balanced<El2n>(), one_class, 2, kKey)), ElementsAre(100, 101));
}

// The mean over many seeds of the weighted mean of the chosen samples equals the mean of all,
// within four standard errors, for every draw and with groups of very different sizes.
TEST(Choose, WeightedMeansAreUnbiased) {
  constexpr int kSeeds = 20'000;
  const std::vector<double> x = {1, 0, 0, 5, 2, 7, -3, 4};
  const Seen seen = SeenOf({1, 2, 3, 4, 0.5, 6, 1, 2}, {0, 0, 0, 0, 0, 1, 1, 0});
  const double truth = std::accumulate(x.begin(), x.end(), 0.0) / 8;
  for (const bool balance : {false, true}) {
    for (const ScoreSampling sampling :
         {ScoreSampling::kPriority, ScoreSampling::kPoisson, ScoreSampling::kSystematic}) {
      LossSampling method;
      method.sampling = sampling;
      method.balance = balance;
      double sum = 0;
      double squares = 0;
      for (int seed = 0; seed < kSeeds; ++seed) {
        const auto choice = Choose(method, seen, 3, {.seed = seed, .purpose = "test"});
        ASSERT_TRUE(choice.ok());
        const auto& [ordinals, weights] = choice->subset;
        double mean = 0;
        for (size_t i = 0; i < ordinals.size(); ++i) {
          const double weight = weights.empty() ? 1 : static_cast<double>(weights[i]);
          mean += weight * x[static_cast<size_t>(ordinals[i] - 100)];
        }
        if (!ordinals.empty()) mean /= static_cast<double>(ordinals.size());
        sum += mean;
        squares += mean * mean;
      }
      const double mean = sum / kSeeds;
      const double error = std::sqrt((squares / kSeeds - mean * mean) / kSeeds);
      EXPECT_LT(std::abs(mean - truth), 4 * error)
          << static_cast<int>(sampling) << (balance ? " balanced" : "");
    }
  }
}

// Two-dimensional gradients.
Seen GradientsOf(std::vector<float> gradients, std::vector<int64_t> classes = {}) {
  Seen seen{.classes = std::move(classes), .gradients = std::move(gradients), .width = 2};
  for (int64_t i = 0; i < std::ssize(seen.gradients) / 2; ++i) seen.ordinals.push_back(i);
  if (seen.classes.empty()) seen.classes.assign(seen.ordinals.size(), 0);
  return seen;
}

TEST(Choose, CraigTakesWhatStandsForTheOthersAndWeighsItByThem) {
  const Seen seen = GradientsOf({0, 0, 1, 0, 0, 1, 5, 5, 6, 5, 5, 7});
  const auto choice = Choose(Craig{}, seen, 3, kKey);
  EXPECT_THAT(OrdinalsOf(choice), ElementsAre(0, 3, 5));
  // 3, 2 and 1 samples, scaled to a mean of 1.
  EXPECT_THAT(choice->subset.weights, ElementsAre(1.5f, 1, 0.5f));
  const auto two = Choose(Craig{}, seen, 2, kKey);
  EXPECT_THAT(OrdinalsOf(two), ElementsAre(0, 3));
  EXPECT_THAT(two->subset.weights, IsEmpty()) << "3 samples each";
}

TEST(Choose, GradMatchAddsUpToTheMeanGradientAndFillsUp) {
  const Seen seen = GradientsOf({1, 0, 0, 1, 1, 0, 0, 1, -1, -1, 3, 0});
  GradMatch method;
  method.ridge = 1e-6;
  const auto choice = Choose(method, seen, 2, kKey);
  const std::vector<int64_t> ordinals = OrdinalsOf(choice);
  ASSERT_THAT(ordinals, SizeIs(2));
  // The mean is (4, 1) / 6.
  double sum[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    const double weight = choice->subset.weights.empty() ? 1 : choice->subset.weights[i];
    for (size_t j = 0; j < 2; ++j) {
      sum[j] +=
          weight * static_cast<double>(seen.gradients[static_cast<size_t>(ordinals[i]) * 2 + j]);
    }
  }
  EXPECT_NEAR(sum[0] / sum[1], 4, 0.05) << "the same direction";
  EXPECT_THAT(OrdinalsOf(Choose(method, seen, 5, kKey)), SizeIs(5))
      << "two are enough for the mean, but not for an epoch";
}

TEST(Choose, CoresetsSurviveGradientsOfZeroAndOnesThatAreNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const models::DownsamplingSpec& method :
       {models::DownsamplingSpec(Craig{}), models::DownsamplingSpec(GradMatch{}),
        models::DownsamplingSpec(SubmodularGradients{}),
        models::DownsamplingSpec(SubmodularGradients{{}, SetFunction::kLogDeterminant})}) {
    EXPECT_THAT(OrdinalsOf(Choose(method, GradientsOf({0, 0, 0, 0, 0, 0}), 2, kKey)), SizeIs(2));
    const auto choice = Choose(method, GradientsOf({nan, 0, 1, 1, 0, nan, 2, 0}), 3, kKey);
    for (const int64_t ordinal : OrdinalsOf(choice)) EXPECT_EQ(ordinal % 2, 1);
    EXPECT_EQ(choice->num_not_finite, 2);
  }
}

TEST(Choose, CoresetsOfPartsAndClassesGiveTheirShares) {
  std::vector<float> gradients;
  std::vector<int64_t> classes;
  for (int64_t i = 0; i < 300; ++i) {
    gradients.push_back(static_cast<float>(std::sin(static_cast<double>(i))));
    gradients.push_back(static_cast<float>(std::cos(static_cast<double>(3 * i))));
    classes.push_back(i % 3 == 0 ? 7 : 2);
  }
  const Seen seen = GradientsOf(gradients, classes);
  Craig method;
  method.part = 16;
  const auto choice = Choose(method, seen, 30, kKey);
  std::map<int64_t, int> by_class;
  for (const int64_t ordinal : OrdinalsOf(choice)) ++by_class[ordinal % 3 == 0 ? 7 : 2];
  EXPECT_EQ(by_class[7], 10);
  EXPECT_EQ(by_class[2], 20);
  EXPECT_EQ(choice->subset, Choose(method, seen, 30, kKey)->subset);
  const double sum =
      std::accumulate(choice->subset.weights.begin(), choice->subset.weights.end(), 0.0);
  EXPECT_NEAR(sum, 30, 1e-3);
}

class ChoiceFilesTest : public ::testing::Test {
 protected:
  ChoiceFilesTest() {
    char pattern[] = "/tmp/choices-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~ChoiceFilesTest() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(ChoiceFilesTest, AChoiceIsReadAsItWasWritten) {
  const ChoiceFiles files(files::Join(folder_, "a"));
  EXPECT_EQ(files.Read(3).status().code(), absl::StatusCode::kNotFound);
  const Choice choice{.subset = {.ordinals = {2, 5, 9}, .weights = {0.5, 1, 2}},
                      .num_scored = 10,
                      .num_not_finite = 2,
                      .num_skipped = 1,
                      .seconds = 0.25};
  ASSERT_TRUE(files.Write(3, choice).ok());
  ASSERT_TRUE(files.Write(5, {}).ok());
  const auto read = files.Read(3);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->subset, choice.subset);
  EXPECT_EQ(read->num_scored, 10);
  EXPECT_EQ(read->num_not_finite, 2);
  EXPECT_EQ(read->num_skipped, 1);
  EXPECT_EQ(read->seconds, 0.25);
  EXPECT_EQ(files.Read(5)->subset, loader::Subset());
  ASSERT_TRUE(files.Forget(5).ok());
  EXPECT_EQ(files.Read(3).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(files.Read(5).ok());
}

TEST_F(ChoiceFilesTest, ADamagedFileIsNotAChoice) {
  const ChoiceFiles files(folder_);
  ASSERT_TRUE(files.Write(0, {.subset = {.ordinals = {1, 2}}}).ok());
  const std::string path = files::Join(folder_, "000000000.choice");
  std::string bytes = files::Read(path).value();
  bytes[bytes.size() - 20] ^= 1;
  ASSERT_TRUE(files::WriteAtomically(path, bytes).ok());
  EXPECT_EQ(files.Read(0).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(ChoiceFilesTest, NumbersKeepWhatIsNone) {
  const std::string path = files::Join(folder_, "sub/losses");
  ASSERT_TRUE(WriteNumbers(path, {1.5f, std::numeric_limits<float>::quiet_NaN()}, 3).ok());
  const auto read = ReadNumbers(path);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->numbers[0], 1.5f);
  EXPECT_TRUE(std::isnan(read->numbers[1]));
  EXPECT_EQ(read->seconds, 3);
}

TEST(Tally, ComesBackFromACheckpoint) {
  Tally tally;
  tally.Add(0, 3, {1, 2, 1}, 10);
  tally.Add(1, 2, {}, 0);
  tally.Add(1, 1, {}, 4);
  tally.num_skipped = 7;
  tally.most_skipped = 4;
  tally.num_not_finite = 1;
  tally.scoring_seconds = 0.5;
  const auto loaded = Tally::Load(tally.Save());
  ASSERT_TRUE(loaded.ok());
  ASSERT_THAT(loaded->epochs, SizeIs(2));
  EXPECT_DOUBLE_EQ(loaded->epochs[0].effective_size(), 16.0 / 6);
  EXPECT_EQ(loaded->epochs[1].num_chosen, 3);
  EXPECT_DOUBLE_EQ(loaded->epochs[1].effective_size(), 3);
  EXPECT_EQ(loaded->epochs[1].num_scored, 4);
  EXPECT_EQ(loaded->most_skipped, 4);
  EXPECT_EQ(loaded->Save(), tally.Save());
  EXPECT_FALSE(Tally::Load({1, 2, 3}).ok());
}

}  // namespace
}  // namespace tidemill::trainer_server
