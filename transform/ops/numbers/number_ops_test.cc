#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/engine/number_sample.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using testing::Fit;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::MustBuild;
using testing::Numbers;
using testing::RunGraph;
using testing::Spec;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const config::ColumnList kX{"x"};

// Numbers of many sizes, some equal, some missing.
std::vector<double> MessyNumbers(int count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) {
    const double size = std::exp(static_cast<double>(random() % 2000) / 100.0 - 10);
    const uint32_t kind = random() % 10;
    numbers.push_back(kind == 0   ? kNan
                      : kind == 1 ? 0.0
                      : kind == 2 ? 3.0
                      : kind == 3 ? -size
                                  : size);
  }
  return numbers;
}

batch::Batch RecordsOf(const std::vector<double>& numbers) {
  std::vector<std::string> records;
  for (const double x : numbers) records.push_back(std::isnan(x) ? "" : fmt::format("{}", x));
  return MakeSamples(records);
}

ParseCsvSpec ParseX(CsvType dtype = CsvType::kFloat64) {
  return {.columns = {"x"}, .dtype = dtype, .missing = {""}};
}

// The finite ones, ascending.
std::vector<double> Sorted(const std::vector<double>& numbers) {
  std::vector<double> sorted;
  for (const double x : numbers) {
    if (!std::isnan(x)) sorted.push_back(x);
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

TEST(ParseCsv, LetsTheTextsPassThatMeanMissing) {
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"x"}, .missing = {"", "NA"}},
                    FillMissingSpec{.number = -1}, StackSpec{}),
               CsvSchema({"x"}), MakeSamples({"1", " ", "NA", "na", " NA ", "nan"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1, -1, -1, -1));
  ASSERT_EQ(result.bad.size(), 2);
  EXPECT_EQ(result.bad[0].reason, "column x: 'na' is not a number");
}

TEST(ParseCsv, KnowsNoMissingWholeNumbers) {
  const auto problems = Graph::Check(
      Spec(ParseCsvSpec{.columns = {"x"}, .dtype = CsvType::kInt64, .missing = {""}}, StackSpec{}),
      CsvSchema({"x"}));
  ASSERT_EQ(problems.size(), 1);
  EXPECT_EQ(problems[0].field, "missing");
}

// Around each power of two and between, from the smallest numbers to the largest.
TEST(Log1p, OfAFloatIsThatOfTheSameDoubleRounded) {
  std::vector<double> numbers;
  for (uint32_t bits = 0; bits < 0x7f800000; bits += 0x3ffff) {
    for (const uint32_t more : {0U, 1U, 2U}) {
      if (bits + more >= 0x7f800000) continue;
      numbers.push_back(static_cast<double>(std::bit_cast<float>(bits + more)));
    }
  }
  const auto made = [&](const CastSpec& cast) {
    return Numbers<float>(RunGraph(Spec(ParseX(), cast, Log1pSpec{}, StackSpec{}), CsvSchema({"x"}),
                                   RecordsOf(numbers))
                              .batch,
                          "input");
  };
  EXPECT_EQ(made(CastSpec{.columns = {"x"}, .dtype = CastType::kFloat32}),
            made(CastSpec{.columns = {"x"}, .dtype = CastType::kFloat64}));
}

TEST(Log1p, IsTheLogarithmOfOnePlusEachNumber) {
  const std::vector<double> numbers = MessyNumbers(1000, 1);
  const Transformed result =
      RunGraph(Spec(ParseX(), Log1pSpec{}, FillMissingSpec{.number = -7}, StackSpec{}),
               CsvSchema({"x"}), RecordsOf(numbers));
  std::vector<float> expected;
  size_t num_negative = 0;
  for (const double x : numbers) {
    if (x < 0) {
      ++num_negative;
    } else {
      // Exact to a float's precision where x is large; the series where it is small.
      const double log = x > 1e-4 ? std::log(1 + x) : x - x * x / 2 + x * x * x / 3;
      expected.push_back(std::isnan(x) ? -7 : static_cast<float>(log));
    }
  }
  EXPECT_GT(num_negative, 50);
  EXPECT_EQ(result.bad.size(), num_negative);
  const std::vector<float> made = Numbers<float>(result.batch, "input");
  ASSERT_EQ(made.size(), expected.size());
  for (size_t i = 0; i < made.size(); ++i) ASSERT_FLOAT_EQ(made[i], expected[i]) << i;
}

// Float32 numbers from the least to the greatest, in records without text.
TEST(Log1p, IsTheCLibrarysForFloat32NumbersOfAnySize) {
  std::mt19937 random(3);
  std::vector<float> numbers = {0, 1, std::numeric_limits<float>::denorm_min(),
                                std::numeric_limits<float>::max()};
  while (numbers.size() < 20'000) {
    const auto number = std::bit_cast<float>(static_cast<uint32_t>(random() & 0x7FFFFFFFU));
    if (std::isfinite(number)) numbers.push_back(number);
  }
  std::vector<std::string> records;
  for (const float number : numbers) {
    records.emplace_back(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  const Transformed result = testing::RunAtOnce(
      Spec(ParseRecordSpec{.fields = {{.name = "x", .dtype = RecordType::kFloat32, .shape = {}}}},
           Log1pSpec{}, StackSpec{}),
      testing::kRecords, MakeSamples(records));
  const std::vector<float> made = Numbers<float>(result.batch, "input");
  ASSERT_EQ(made.size(), numbers.size());
  for (size_t i = 0; i < made.size(); ++i) {
    ASSERT_EQ(made[i], static_cast<float>(std::log1p(static_cast<double>(numbers[i]))))
        << numbers[i];
  }
}

TEST(Log1p, RejectsTheNegativeNumbersOfAFloat32Record) {
  const std::vector<float> numbers = {3, -0.5F, 7};
  const Transformed result = RunGraph(
      Spec(ParseRecordSpec{.fields = {{.name = "x", .dtype = RecordType::kFloat32, .shape = {}}}},
           Log1pSpec{.columns = kX}, StackSpec{}),
      testing::kRecords,
      MakeSamples({std::string(reinterpret_cast<const char*>(&numbers[0]), 4),
                   std::string(reinterpret_cast<const char*>(&numbers[1]), 4),
                   std::string(reinterpret_cast<const char*>(&numbers[2]), 4)}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"),
              ElementsAre(static_cast<float>(std::log(4.0)), static_cast<float>(std::log(8.0))));
  EXPECT_THAT(result.bad, ElementsAre(BadSample{1, "column x: -0.5 is negative and has no log1p"}));
}

TEST(Log1p, TakesNegativeNumbersAsZeroWhereToldTo) {
  const Transformed result =
      RunGraph(Spec(ParseX(), Log1pSpec{.negative = NegativeNumber::kZero}, StackSpec{}),
               CsvSchema({"x"}), MakeSamples({"-1", "-0.5", "0", "1"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"),
              ElementsAre(0, 0, 0, static_cast<float>(std::log(2.0))));
}

TEST(Log1p, MakesWholeNumbersFloat32) {
  const Transformed result = RunGraph(Spec(ParseCsvSpec{.columns = {"x"}, .dtype = CsvType::kInt64},
                                           Log1pSpec{.columns = kX}, StackSpec{}),
                                      CsvSchema({"x"}), MakeSamples({"0", "-3", "99"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"),
              ElementsAre(0, static_cast<float>(std::log(100.0))));
  EXPECT_THAT(result.bad, ElementsAre(BadSample{1, "column x: -3 is negative and has no log1p"}));
}

TEST(Clip, HoldsNumbersWithinItsBounds) {
  const std::vector<double> numbers = MessyNumbers(1000, 2);
  struct Bounds {
    std::optional<double> min;
    std::optional<double> max;
  };
  for (const auto& [min, max] : {Bounds{-2, 5.5}, Bounds{std::nullopt, 1}, Bounds{0, {}}}) {
    const Transformed result =
        RunGraph(Spec(ParseX(), ClipSpec{.columns = kX, .min = min, .max = max},
                      FillMissingSpec{.number = -7}, StackSpec{}),
                 CsvSchema({"x"}), RecordsOf(numbers));
    EXPECT_THAT(result.bad, IsEmpty());
    std::vector<float> expected;
    for (const double x : numbers) {
      double clipped = x;
      if (min && x < *min) clipped = *min;
      if (max && x > *max) clipped = *max;
      expected.push_back(std::isnan(x) ? -7 : static_cast<float>(clipped));
    }
    EXPECT_EQ(Numbers<float>(result.batch, "input"), expected);
  }
}

TEST(Clip, KeepsWholeNumbersWhole) {
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"x"}, .dtype = CsvType::kInt64},
                    ClipSpec{.columns = kX, .min = -1, .max = 9},
                    ReshapeSpec{.column = "x", .shape = {1}, .into = "input"}),
               CsvSchema({"x"}),
               MakeSamples({"9223372036854775807", "-9223372036854775808", "9", "10", "-1", "0"}));
  EXPECT_THAT(Numbers<int64_t>(result.batch, "input"), ElementsAre(9, -1, 9, 9, -1, 0));
  const auto problems = Graph::Check(Spec(ParseCsvSpec{.columns = {"x"}, .dtype = CsvType::kInt64},
                                          ClipSpec{.columns = kX, .min = 0.5}, StackSpec{}),
                                     CsvSchema({"x"}));
  ASSERT_EQ(problems.size(), 1);
  EXPECT_EQ(problems[0].message, "is 0.5, but column x holds int64");
}

TEST(Clip, NeedsABoundAndBoundsInOrder) {
  EXPECT_THAT(config::Read<GraphSpec>("- clip: {columns: all}\n", "g"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("sets no bound")));
  EXPECT_THAT(config::Read<GraphSpec>("- clip: {columns: all, min: 2, max: 1}\n", "g"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is greater than max")));
}

TEST(FillMissing, PutsTheMedianOrTheMeanOfTheGoodSamples) {
  for (const int count : {1000, 1001}) {
    std::vector<double> numbers = MessyNumbers(count, 3);
    numbers[0] = kNan;
    const std::vector<double> sorted = Sorted(numbers);
    const size_t n = sorted.size();
    const double median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    long double sum = 0;
    for (const double x : sorted) sum += x;
    const double mean = static_cast<double>(sum / n);
    for (const auto& [with, filling] :
         {std::pair(Filling::kMedian, median), std::pair(Filling::kMean, mean)}) {
      const Transformed result =
          RunGraph(Spec(ParseX(), FillMissingSpec{.with = with}, StackSpec{}), CsvSchema({"x"}),
                   RecordsOf(numbers));
      const std::vector<float> made = Numbers<float>(result.batch, "input");
      ASSERT_EQ(made.size(), numbers.size());
      for (size_t i = 0; i < made.size(); ++i) {
        ASSERT_FLOAT_EQ(made[i], static_cast<float>(std::isnan(numbers[i]) ? filling : numbers[i]));
      }
    }
  }
}

TEST(FillMissing, SaysWhereSomethingWasMissing) {
  const Transformed result =
      RunGraph(Spec(ParseCsvSpec{.columns = {"x", "y"}, .missing = {"?"}},
                    FillMissingSpec{.number = 9, .indicator = true}, StackSpec{}),
               CsvSchema({"x", "y"}), MakeSamples({"1,?", "?,2", "3,4"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"),
              ElementsAre(1, 9, 0, 1, 9, 2, 1, 0, 3, 4, 0, 0));
}

TEST(FillMissing, LearnsFromGoodSamplesOnlyAndWarnsOfColumnsThatAreNeverThere) {
  const Graph graph = MustBuild(
      Spec(ParseCsvSpec{.columns = {"x"}}, ParseCsvSpec{.columns = {"y"}, .missing = {""}},
           FillMissingSpec{.with = Filling::kMean}, StackSpec{}),
      CsvSchema({"x", "y"}));
  Fitter fitter(graph);
  const absl::StatusOr<FittedState> fitted = Fit(fitter, MakeSamples({"1,", "oops,5", "3,"}), 2);
  ASSERT_THAT(fitted, IsOk());
  EXPECT_THAT(fitter.warnings(), ElementsAre(HasSubstr("column y are missing in every sample")));
  ASSERT_EQ(fitted->Of(2).size(), 2);
  EXPECT_THAT(fitted->Of(2)[0].numbers, ElementsAre(2));
  EXPECT_THAT(fitted->Of(2)[1].numbers, ElementsAre(0));
}

TEST(Standardize, LearnsFromRowsThatAreThere) {
  const Transformed result = RunGraph(Spec(ParseX(), StandardizeSpec{}, StackSpec{}),
                                      CsvSchema({"x"}), MakeSamples({"1", "", "3"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(-1, 1));
  EXPECT_EQ(result.bad.size(), 1);
}

// Counts, for each number, the bounds that do not exceed it.
std::vector<int64_t> SlowBins(const std::vector<double>& numbers, int64_t bins) {
  const std::vector<double> sorted = Sorted(numbers);
  std::vector<int64_t> places;
  for (const double x : numbers) {
    if (std::isnan(x)) continue;
    int64_t bin = 0;
    for (int64_t i = 1; i < bins; ++i) {
      if (sorted[i * static_cast<int64_t>(sorted.size()) / bins] <= x) ++bin;
    }
    places.push_back(bin);
  }
  return places;
}

TEST(QuantileBins, HoldAsManyNumbersEach) {
  for (const int64_t bins : {2, 7, 64}) {
    const std::vector<double> numbers = MessyNumbers(1500, static_cast<uint32_t>(bins));
    const std::vector<int64_t> expected = SlowBins(numbers, bins);
    const Transformed result =
        RunGraph(Spec(ParseX(), QuantileBinsSpec{.column = "x", .bins = bins, .into = "input"}),
                 CsvSchema({"x"}), RecordsOf(numbers));
    EXPECT_EQ(Numbers<int64_t>(result.batch, "input"), expected);
    EXPECT_EQ(result.bad.size() + expected.size(), numbers.size());
    EXPECT_EQ(result.bad[0].reason, "column x: a number is missing");
    const Transformed ones = RunGraph(
        Spec(ParseX(),
             QuantileBinsSpec{.column = "x", .bins = bins, .one_hot = true, .into = "input"}),
        CsvSchema({"x"}), RecordsOf(numbers));
    std::vector<float> rows(expected.size() * bins, 0);
    for (size_t i = 0; i < expected.size(); ++i) rows[i * bins + expected[i]] = 1;
    EXPECT_EQ(Numbers<float>(ones.batch, "input"), rows);
  }
}

TEST(QuantileBins, OfDistinctNumbersAreEquallyFull) {
  std::vector<std::string> records;
  for (int i = 0; i < 100; ++i) records.push_back(fmt::format("{}", i * 37 % 100));
  const Transformed result =
      RunGraph(Spec(ParseX(), QuantileBinsSpec{.column = "x", .bins = 4, .into = "input"}),
               CsvSchema({"x"}), MakeSamples(records));
  std::vector<int> counts(4);
  for (const int64_t bin : Numbers<int64_t>(result.batch, "input")) ++counts[bin];
  EXPECT_THAT(counts, ElementsAre(25, 25, 25, 25));
}

TEST(NumberSample, KeepsAUniformSampleOnceItIsFull) {
  NumberSample sample(1);
  constexpr int kCount = 1'000'000;
  for (int i = 0; i < kCount; ++i) sample.Add(i);
  EXPECT_EQ(sample.count(), kCount);
  const std::vector<double> kept = sample.Sorted();
  ASSERT_EQ(kept.size(), 131'072);
  EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end()) << "each number once";
  // Four standard deviations of a quantile of this many draws are about 0.0055.
  for (const double q : {0.1, 0.5, 0.9}) {
    EXPECT_NEAR(kept[static_cast<size_t>(q * 131'072)] / kCount, q, 0.0055);
  }
}

}  // namespace
}  // namespace tidemill::transform
