// Tables that change over time: what a sample sees, and what it must not see.
#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "base/time.h"
#include "transform/testing/lookups.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::Checked;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::MustBuild;
using testing::Numbers;
using testing::RunGraph;
using testing::Take;
using tidemill::testing::StatusIs;

const SampleSchema kSales = testing::CsvSchema({"station", "hour", "x"});

// A moment of January 2026, in seconds.
int64_t At(int64_t seconds) { return 1'767'225'600'000'000 + seconds * 1'000'000; }

batch::Batch SamplesAt(const std::vector<std::string>& records, std::vector<int64_t> times) {
  batch::Batch samples = MakeSamples(records);
  samples.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)).IgnoreError();
  return samples;
}

constexpr char kAsOf[] =
    "- parse_csv: {columns: [station], dtype: string}\n"
    "- lookup: {table: t.csv, on: station, columns: [price], as_of: valid_from,"
    " missing: bad_sample}\n"
    "- stack: {columns: [price], into: input}\n";

TEST(AsOf, GivesTheNewestRowThatHeldAtTheEventTime) {
  const Checked checked = Take(kAsOf,
                               "station,valid_from,price\n"
                               "A,2026-01-01T00:00:20Z,20\n"
                               "B,2026-01-01T00:00:05Z,5\n"
                               "A,2026-01-01T00:00:10Z,10\n"
                               "A,2026-01-01T00:00:30.000001Z,30\n",
                               kSales);
  ASSERT_THAT(checked.problems, IsEmpty());
  const Transformed made =
      RunGraph(checked.graph, kSales,
               SamplesAt({"A,,", "A,,", "A,,", "A,,", "A,,", "B,,", "C,,"},
                         {At(9), At(10), At(19), At(30), At(30) + 1, At(1000), At(1000)}));
  EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(10, 10, 20, 30, 5));
  ASSERT_EQ(made.bad.size(), 2U);
  EXPECT_THAT((std::vector<std::string>{made.bad[0].reason, made.bad[1].reason}),
              ElementsAre("column station: 'A' is in the table from 2026-01-01T00:00:10Z on, but "
                          "the sample is of 2026-01-01T00:00:09Z",
                          "column station: 'C' is not in the table"));
}

TEST(AsOf, ReadsTimesByTheirFormatAndZone) {
  const Checked checked = Take(
      "- parse_csv: {columns: [station], dtype: string}\n"
      "- lookup: {table: t.csv, on: station, columns: [v], as_of: day, format: \"%d.%m.%Y "
      "%H:%M\", time_zone: Europe/Zurich, missing: bad_sample}\n"
      "- stack: {columns: [v], into: input}\n",
      // The second of these times came twice.
      "station,day,v\nA,01.01.2026 01:00,1\nA,26.10.2025 02:30,2\n", kSales);
  ASSERT_THAT(checked.problems, IsEmpty());
  const auto micros = [](const char* time) { return ParseTimestamp(time)->micros; };
  const Transformed made =
      RunGraph(checked.graph, kSales,
               SamplesAt({"A,,", "A,,", "A,,"},
                         {micros("2025-10-26T01:29:59Z"), micros("2025-10-26T01:30:00Z"), At(0)}));
  EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(2, 1));
  EXPECT_EQ(made.bad.size(), 1U);
}

TEST(AsOf, HoldsSinceEverAndUntilItEnds) {
  const Checked checked = Take(
      "- parse_csv: {columns: [station], dtype: string}\n"
      "- lookup: {table: t.csv, on: station, columns: [v], as_of: from, until: to, default: {v: "
      "-1}}\n"
      "- stack: {columns: [v], into: input}\n",
      "station,from,to,v\n"
      "A,,2026-01-01T00:00:10Z,1\n"
      "A,2026-01-01T00:00:20Z,infinity,2\n"
      "B,-infinity,,3\n"
      "C,2026-01-01T00:00:00Z,2026-01-01T00:00:50Z,4\n"
      "C,2026-01-01T00:00:10Z,2026-01-01T00:00:20Z,5\n",
      kSales);
  ASSERT_THAT(checked.problems, IsEmpty());
  const Transformed made =
      RunGraph(checked.graph, kSales,
               SamplesAt({"A,,", "A,,", "A,,", "A,,", "B,,", "C,,", "C,,", "C,,"},
                         {At(-1'000'000), At(9), At(10), At(1000), At(0), At(9), At(19), At(20)}));
  EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(1, 1, -1, 2, 3, 4, 5, -1));
}

TEST(AsOf, OfSamplesWithoutTimesFails) {
  const Checked checked = Take(kAsOf, "station,valid_from,price\nA,2026-01-01,1\n", kSales);
  const Graph graph = MustBuild(checked.graph, kSales);
  EXPECT_THAT(graph.Run(MakeSamples({"A,,"}), nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("op 2 (lookup): as_of needs the event times of the samples")));
}

// What the table says about a key at a time, by a look at all its rows.
struct TableRow {
  int64_t key = 0;
  int64_t valid_from = 0;
  int64_t price = 0;
};

std::optional<TableRow> SlowNewest(const std::vector<TableRow>& rows, int64_t key, int64_t time) {
  std::optional<TableRow> newest;
  for (const TableRow& row : rows) {
    if (row.key != key || row.valid_from > time) continue;
    if (!newest || row.valid_from > newest->valid_from) newest = row;
  }
  return newest;
}

class Leak : public ::testing::TestWithParam<const char*> {};

// The price of each row names the row, so that what a sample got tells when it was known.
TEST_P(Leak, NoSampleSeesALaterRow) {
  constexpr int kTables = 100, kSamples = 1000, kRows = 200;
  std::mt19937_64 random(35);
  const auto below = [&](int64_t end) { return static_cast<int64_t>(random() % end); };
  int64_t num_later = 0, num_seen = 0;
  for (int t = 0; t < kTables; ++t) {
    std::vector<TableRow> rows;
    std::map<std::pair<int64_t, int64_t>, bool> taken;
    const int64_t keys = 1 + below(20), span = 1 + below(500);
    while (std::ssize(rows) < kRows && std::ssize(taken) < keys * span) {
      const TableRow row{
          .key = below(keys), .valid_from = At(below(span)), .price = std::ssize(rows)};
      if (taken.emplace(std::pair(row.key, row.valid_from), true).second) rows.push_back(row);
    }
    std::shuffle(rows.begin(), rows.end(), random);
    std::string table = "valid_from,price,k\n";
    for (const TableRow& row : rows) {
      table += fmt::format("{},{},{}\n", row.valid_from, row.price, row.key);
    }
    std::vector<std::string> records;
    std::vector<int64_t> times;
    for (int i = 0; i < kSamples; ++i) {
      records.push_back(fmt::format("{},0,0", below(keys + 1)));
      times.push_back(At(below(span + 4) - 2) + below(3) - 1);
    }
    const Checked checked =
        Take(fmt::format("- parse_csv: {{columns: [station], dtype: {}}}\n"
                         "- lookup: {{table: t.csv, on: {{station: k}}, columns: [price], as_of: "
                         "valid_from, format: unix_us, default: {{price: -1}}}}\n"
                         "- stack: {{columns: [price], into: input}}\n",
                         GetParam()),
             table, kSales);
    ASSERT_THAT(checked.problems, IsEmpty());
    const Transformed made = testing::RunAtOnce(checked.graph, kSales, SamplesAt(records, times));
    const std::vector<float> prices = Numbers<float>(made.batch, "input");
    ASSERT_EQ(prices.size(), records.size());
    for (int i = 0; i < kSamples; ++i) {
      const auto expected = SlowNewest(rows, std::stoll(records[i]), times[i]);
      ASSERT_EQ(prices[i], expected ? static_cast<float>(expected->price) : -1) << records[i];
      if (expected) ++num_seen;
      num_later += std::ranges::any_of(rows, [&](const TableRow& row) {
        return row.key == std::stoll(records[i]) && row.valid_from > times[i];
      });
    }
  }
  // There was something to see, and something to leak.
  EXPECT_GT(num_seen, kTables * kSamples / 4);
  EXPECT_GT(num_later, kTables * kSamples / 4);
}

INSTANTIATE_TEST_SUITE_P(Keys, Leak, ::testing::Values("string", "int64"),
                         [](const auto& type) { return std::string(type.param); });

}  // namespace
}  // namespace tidemill::transform
