#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "transform/testing/samples.h"
#include "xxhash.h"

namespace tidemill::transform {
namespace {

using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::Numbers;
using testing::RunGraph;
using testing::Spec;

const ParseCsvSpec kTexts{.columns = {"a", "b"}, .dtype = CsvType::kString};

// The buckets of records "a,b,n".
std::vector<int64_t> Cross(const HashCrossSpec& cross, const std::vector<std::string>& records) {
  const Transformed result =
      RunGraph(Spec(kTexts, ParseCsvSpec{.columns = {"n"}, .dtype = CsvType::kInt64}, cross),
               CsvSchema({"a", "b", "n"}), MakeSamples(records));
  EXPECT_THAT(result.bad, IsEmpty());
  return Numbers<int64_t>(result.batch, "input");
}

// As the op documents it, with long numbers.
int64_t SlowCross(const std::vector<uint64_t>& hashes, uint64_t buckets, uint64_t seed) {
  unsigned __int128 key = 0;
  for (const uint64_t hash : hashes) {
    key =
        (key * 1'000'003 + hash % (uint64_t{1} << 62)) % (static_cast<unsigned __int128>(1) << 64);
  }
  const auto low = static_cast<uint64_t>(key);
  return static_cast<int64_t>(XXH3_64bits_withSeed(&low, 8, seed) % buckets);
}

TEST(HashCross, JoinsTheHashesOfItsColumnsInTheirOrder) {
  for (const uint64_t seed : {0, 77}) {
    const auto text = [&](std::string_view value) {
      return XXH3_64bits_withSeed(value.data(), value.size(), seed);
    };
    const auto number = [&](int64_t value) { return XXH3_64bits_withSeed(&value, 8, seed); };
    for (const int64_t buckets : {int64_t{1}, int64_t{1024}, int64_t{1'000'000'007}}) {
      const HashCrossSpec three{.columns = {"n", "b", "a"},
                                .buckets = buckets,
                                .seed = static_cast<int64_t>(seed),
                                .into = "input"};
      std::vector<std::string> records;
      std::vector<int64_t> expected;
      for (int64_t i = 0; i < 50; ++i) {
        const std::string a(static_cast<size_t>(i * 7), 'x');
        const std::string b = fmt::format("{}", i % 3);
        const int64_t n = i % 2 == 0 ? -i : std::numeric_limits<int64_t>::max() - i;
        records.push_back(fmt::format("{},{},{}", a, b, n));
        expected.push_back(
            SlowCross({number(n), text(b), text(a)}, static_cast<uint64_t>(buckets), seed));
      }
      EXPECT_EQ(Cross(three, records), expected);
    }
  }
}

// Vectors of the xxhash package of Python, which no change of the code may change: models keep what
// they learned by bucket.
TEST(HashCross, KeepsItsBucketsFromVersionToVersion) {
  EXPECT_THAT(Cross({.columns = {"a", "b"}, .buckets = 1'000'000, .into = "input"},
                    {"OLT,7,0", "7,OLT,0", ",,0"}),
              ElementsAre(704100, 220931, 899417));
}

TEST(HashCross, TellsApartWhatIsCutOtherwise) {
  const std::vector<int64_t> made =
      Cross({.columns = {"a", "b"}, .buckets = 1'000'000'000'000, .into = "input"},
            {"a,bc,0", "ab,c,0", "abc,,0", ",abc,0", "bc,a,0", "a,bc,1"});
  for (size_t i = 0; i < 5; ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_NE(made[i], made[k]) << i << " and " << k;
  }
  EXPECT_EQ(made[5], made[0]);
}

TEST(HashCross, SpreadsPairsOfSmallNumbersEvenly) {
  constexpr int64_t kBuckets = 64;
  std::vector<std::string> records;
  for (int i = 0; i < 6400; ++i) records.push_back(fmt::format("{},x,{}", i % 80, i / 80));
  std::map<int64_t, int> counts;
  for (const int64_t bucket :
       Cross({.columns = {"a", "n"}, .buckets = kBuckets, .into = "input"}, records)) {
    ++counts[bucket];
  }
  // Chi-squared with 63 degrees of freedom: its mean is 63, and six standard deviations are 67.
  double distance = 0;
  for (int64_t bucket = 0; bucket < kBuckets; ++bucket) {
    distance += std::pow(counts[bucket] - 100.0, 2) / 100;
  }
  EXPECT_LT(distance, 130);
}

TEST(HashCross, TakesTheTextsAndWholeNumbersThatARuleChooses) {
  const GraphSpec spec =
      Spec(kTexts, ParseCsvSpec{.columns = {"n"}, .dtype = CsvType::kInt64},
           ParseCsvSpec{.columns = {"x"}},
           HashCrossSpec{.columns = config::ColumnList::All(), .buckets = 1000, .into = "all"},
           HashCrossSpec{.columns = {"a", "b", "n"}, .buckets = 1000, .into = "named"},
           StackSpec{.columns = {"all", "named"}});
  const Transformed result =
      RunGraph(spec, CsvSchema({"a", "b", "n", "x"}), MakeSamples({"p,q,1,0.5", "r,s,2,0.5"}));
  const std::vector<float> made = Numbers<float>(result.batch, "input");
  ASSERT_EQ(made.size(), 4);
  EXPECT_EQ(made[0], made[1]);
  EXPECT_EQ(made[2], made[3]);
}

TEST(HashCross, SaysWhichColumnsItCannotTake) {
  const auto problem = [](const HashCrossSpec& cross) {
    const auto problems = Graph::Check(
        Spec(kTexts, ParseCsvSpec{.columns = {"x"}}, StackSpec{.columns = {"x"}, .into = "row"},
             CastSpec{.columns = {"row"}, .dtype = CastType::kInt64}, cross),
        CsvSchema({"a", "b", "x"}));
    return problems.empty() ? "" : problems[0].field + ": " + problems[0].message;
  };
  EXPECT_EQ(problem({.columns = {"a", "b"}, .buckets = 9, .into = "input"}), "");
  EXPECT_EQ(problem({.columns = {"a", "x"}, .buckets = 9, .into = "input"}),
            "columns: column x is float32, but it must be text or whole numbers");
  EXPECT_EQ(problem({.columns = {"a", "row"}, .buckets = 9, .into = "input"}),
            "columns: column row has 1 numbers in a row");
  EXPECT_EQ(problem({.columns = {"a"}, .buckets = 9, .into = "input"}), "columns: is one column");
  EXPECT_EQ(problem({.columns = {"a", "c"}, .buckets = 9, .into = "input"}),
            "columns: there is no column c");
}

}  // namespace
}  // namespace tidemill::transform
