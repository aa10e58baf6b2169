// The page of a run, its text and its JSON are three renderings of one table: they show the same
// numbers.
#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/results/run_json.h"
#include "cli/results/run_report.h"
#include "cli/results/slices_table.h"
#include "cli/run_directory/report.h"
#include "cli/run_directory/report_tables.h"
#include "cli/run_directory/testing/example_run.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kDay = 86'400'000'000;

// Results as an evaluator may have measured them.
class RandomResults {
 public:
  explicit RandomResults(uint64_t seed) : random_(seed) {}

  RunRecord Make() {
    const int num_windows = 2 + Below(9);
    RunRecord record = testing::ExampleRun("random", num_windows);
    record.run.clear_results();
    for (int evaluation = 0; evaluation < 2; ++evaluation) {
      const bool has_series = Below(4) > 0;
      const bool has_intervals = Below(2) > 0;
      for (int model = 1; model < num_windows; ++model) {
        for (int window = 1; window <= num_windows; ++window) {
          if (Below(8) == 0) continue;
          Row common = Common(evaluation, model, window);
          common.set_active(has_series && window == model + 1);
          common.set_trained(has_series && window == model);
          AddValues(common, has_intervals, record.run);
        }
      }
    }
    return record;
  }

 private:
  using Row = results::Row;

  int Below(int bound) { return static_cast<int>(random_() % static_cast<uint64_t>(bound)); }
  double Unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  Row Common(int evaluation, int model, int window) {
    Row row;
    row.set_evaluation(evaluation);
    row.set_dataset_name(evaluation == 0 ? "days" : "others");
    row.set_trigger(model);
    row.set_model_id(1000 + model);
    row.mutable_from()->set_event_time((20'000 + window) * kDay);
    row.mutable_to()->set_event_time((20'001 + window) * kDay);
    row.set_num_samples(Below(10) == 0 ? 0 : 1 + Below(5'000));
    row.set_num_bad(Below(3) == 0 ? Below(50) : 0);
    row.set_num_unlabelled(Below(3) == 0 ? Below(50) : 0);
    row.set_num_deleted(Below(5) == 0 ? Below(50) : 0);
    row.set_num_filtered(Below(5) == 0 ? Below(50) : 0);
    row.set_num_known(row.num_samples() + row.num_bad() + row.num_unlabelled() + row.num_deleted() +
                      row.num_filtered());
    if (Below(20) == 0) row.set_failure(fmt::format("model {} was lost", 1000 + model));
    return row;
  }

  void SetValue(bool has_intervals, Row& row) {
    const bool is_error = row.measure() == "rmse";
    if (row.num_samples() == 0 || !row.failure().empty() || Below(12) == 0) return;
    row.set_value(is_error ? 100 * Unit() : Unit());
    if (!has_intervals) return;
    row.set_low(row.value() * (1 - 0.1 * Unit()));
    row.set_high(row.value() * (1 + 0.1 * Unit()));
  }

  void AddValues(const Row& common, bool has_intervals, supervisor::v1::GetRunResponse& run) {
    for (const char* measure : {"accuracy", "f1_macro", "rmse", "confusion_matrix"}) {
      Row& row = *run.add_results() = common;
      row.set_measure(measure);
      if (std::string_view(measure) == "confusion_matrix") {
        row.set_detail(R"({"classes":["A"],"counts":[[3]]})");
        continue;
      }
      SetValue(has_intervals, row);
      for (const char* rule : {"constant", "last"}) {
        if (!common.active()) continue;
        Row& baseline = *run.add_results() = common;
        baseline.set_measure(measure);
        baseline.set_baseline(rule);
        baseline.set_model_id(0);
        baseline.clear_num_known();
        baseline.clear_active();
        baseline.clear_trained();
        SetValue(false, baseline);
      }
      for (const char* slice : {"class=a", "class=b"}) {
        if (Below(3) == 0) continue;
        Row& part = *run.add_results() = common;
        part.set_measure(measure);
        part.set_slice(slice);
        part.set_num_samples(1 + Below(500));
        SetValue(has_intervals, part);
      }
    }
  }

  std::mt19937_64 random_;
};

// What the three say about one run.
struct Said {
  ordered_json page;
  ordered_json json;
  std::string text;
  std::string slices;
};

ordered_json DataIn(const std::string& page) {
  constexpr std::string_view kBegin = "id=\"data\">";
  const size_t begin = page.find(kBegin) + kBegin.size();
  return ordered_json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

Said Say(const RunRecord& record) {
  return {.page = DataIn(ReportPage(record)),
          .json = ordered_json::parse(RunToJson(record.run).dump()),
          .text = DescribeRun(record.run, {.full = true}),
          .slices = DrawSlices(record.run)};
}

bool IsOf(const ordered_json& row, const ordered_json& table) {
  return row.at("dataset") == table.at("dataset") && row.at("measure") == table.at("measure");
}

int64_t MillisOf(const ordered_json& time) {
  return ParseTimestamp(time.get<std::string>())->micros / 1000;
}

// The row of JSON of a cell; null where there is none.
ordered_json RowIn(const ordered_json& rows, const ordered_json& table, const ordered_json& trigger,
                   int64_t from) {
  for (const ordered_json& row : rows) {
    if (IsOf(row, table) && !row.contains("slice") && row.at("trigger") == trigger &&
        MillisOf(row.at("from")) == from) {
      return row;
    }
  }
  return nullptr;
}

std::vector<std::string> WordsOf(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

// The part of the text about a table, line by line.
std::vector<std::string> LinesOf(const Said& said, const ordered_json& table) {
  std::istringstream in(said.text);
  const std::string title = fmt::format("{} on {}", table.at("measure").get<std::string>(),
                                        table.at("dataset").get<std::string>());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) {
      if (!lines.empty()) break;
    } else if (line.starts_with(title) && line.ends_with("model (row) by window (column)")) {
      lines = {line};
    } else if (!lines.empty() && line.find(" on ") != std::string::npos &&
               line.ends_with("model (row) by window (column)")) {
      break;
    } else if (!lines.empty()) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::string LineWith(const std::vector<std::string>& lines, const std::string& begin) {
  for (const std::string& line : lines) {
    if (line.starts_with(begin)) return line;
  }
  return "";
}

// As a cell of the text has it.
std::string Drawn(const ordered_json& row, const ordered_json& table, size_t num_windows) {
  std::string cell = "-";
  if (!row.is_null() && row.at("value").is_null()) cell = row.at("samples") > 0 ? "?" : "-";
  if (!row.is_null() && !row.at("value").is_null()) {
    const auto value = row.at("value").get<double>();
    cell = table.at("share").get<bool>()
               ? fmt::format("{:.{}f}", 100 * value, num_windows <= 8 ? 1 : 0)
               : fmt::format("{:.3g}", value);
  }
  return cell;
}

void ExpectSameMatrix(const Said& said, const ordered_json& table) {
  const std::vector<std::string> lines = LinesOf(said, table);
  const ordered_json& matrix = table.at("matrix");
  for (size_t i = 0; i < matrix.at("triggers").size(); ++i) {
    const ordered_json& trigger = matrix.at("triggers").at(i);
    const auto words = WordsOf(LineWith(lines, fmt::format("{:>4} 20", trigger.get<int64_t>())));
    ASSERT_EQ(words.size(), 2 + matrix.at("windows").size());
    for (size_t column = 0; column < matrix.at("windows").size(); ++column) {
      const ordered_json& window = matrix.at("windows").at(column);
      const ordered_json row =
          RowIn(said.json.at("evaluations"), table, trigger, window.at(0).get<int64_t>());
      const ordered_json value = row.is_null() || row.at("value").is_null()
                                     ? ordered_json(nullptr)
                                     : Rounded(row.at("value").get<double>());
      EXPECT_EQ(matrix.at("values").at(i).at(column), value);
      EXPECT_EQ(words[2 + column], Drawn(row, table, matrix.at("windows").size()) +
                                       (window.at(4) == trigger ? "*" : ""));
    }
  }
}

void ExpectSameSeries(const Said& said, const ordered_json& table) {
  for (const char* series : {"active", "trained"}) {
    for (size_t column = 0; column < table.at("windows").size(); ++column) {
      const ordered_json& point = table.at(series).at(column);
      if (point.is_null()) continue;
      const ordered_json row = RowIn(said.json.at("composite").at(series), table, point.at(3),
                                     table.at("windows").at(column).at(0).get<int64_t>());
      ASSERT_FALSE(row.is_null());
      EXPECT_EQ(point.at(0), Rounded(row.at("value")));
      for (const auto& [place, key] : {std::pair(1, "low"), std::pair(2, "high")}) {
        EXPECT_EQ(point.at(static_cast<size_t>(place)),
                  row.contains(key) ? Rounded(row.at(key)) : ordered_json(nullptr));
      }
    }
  }
}

// "0.8750 [0.8533, 0.8927] per sample, over 300 of 320 samples: 20 could not be used"
void ExpectSameMeans(const Said& said, const ordered_json& table) {
  const std::string line = LineWith(LinesOf(said, table), "  active (*");
  const ordered_json& means = table.at("means");
  ASSERT_EQ(line.empty(), !means.contains("active"));
  if (line.empty()) return;
  const ordered_json& active = means.at("active");
  std::string value = fmt::format("{:.4f}", active.at("value").get<double>());
  if (means.contains("interval")) {
    value += fmt::format(" [{:.4f}, {:.4f}]", means.at("interval").at(0).get<double>(),
                         means.at("interval").at(1).get<double>());
  }
  const std::string counts = active.at("counts");
  const size_t colon = std::min(counts.find(':'), counts.size());
  EXPECT_THAT(line, HasSubstr(fmt::format("window): {} {}, over {}{} samples{}", value,
                                          active.at("how").get<std::string>(),
                                          WithThousands(active.at("samples").get<int64_t>()),
                                          counts.substr(0, colon), counts.substr(colon))));
  int64_t samples = 0;
  int64_t known = 0;
  double sum = 0;
  for (const ordered_json& row : said.json.at("composite").at("active")) {
    if (!IsOf(row, table)) continue;
    known += row.at("known").get<int64_t>();
    if (row.at("value").is_null()) continue;
    samples += row.at("samples").get<int64_t>();
    sum += row.at("samples").get<double>() * row.at("value").get<double>();
  }
  EXPECT_EQ(active.at("samples"), samples);
  if (!counts.empty()) {
    EXPECT_THAT(counts, HasSubstr(" of " + WithThousands(known)));
  }
  if (active.at("how") == "per sample") {
    EXPECT_NEAR(active.at("value").get<double>(), sum / static_cast<double>(samples), 1e-9);
  }
}

void ExpectSameBaselines(const Said& said, const ordered_json& table) {
  std::vector<ordered_json> of_json;
  for (const ordered_json& baseline : said.json.at("baselines")) {
    if (IsOf(baseline, table) && baseline.at("baseline") != "first") of_json.push_back(baseline);
  }
  const std::string line = LineWith(LinesOf(said, table), "  beside it");
  const ordered_json& of_page = table.at("means").at("baselines");
  ASSERT_EQ(of_page.size(), of_json.size());
  for (size_t i = 0; i < of_page.size(); ++i) {
    for (const char* key : {"rule", "value", "samples", "wins"}) {
      EXPECT_EQ(of_page.at(i).at(key), of_json[i].at(key)) << key;
    }
    EXPECT_THAT(line, HasSubstr(fmt::format("{} {:.4f}", of_json[i].at("rule").get<std::string>(),
                                            of_json[i].at("value").get<double>())));
  }
}

void ExpectSameSlices(const Said& said) {
  size_t num_rows = 0;
  for (const ordered_json& table : said.page.at("slices")) {
    for (const ordered_json& row : table.at("rows")) {
      ++num_rows;
      std::istringstream in(said.slices);
      bool is_found = false;
      for (std::string line; std::getline(in, line);) {
        const auto words = WordsOf(line);
        is_found =
            is_found || (words.size() > 3 && words[0] == table.at("measure").get<std::string>() &&
                         words[1] == row.at("slice").get<std::string>() &&
                         words[2] == WithThousands(row.at("samples").get<int64_t>()) &&
                         words[3] == fmt::format("{:.4f}", row.at("value").get<double>()));
      }
      EXPECT_TRUE(is_found) << row.dump() << "\n" << said.slices;
    }
  }
  size_t num_lines = 0;
  std::istringstream in(said.slices);
  for (std::string line; std::getline(in, line);) {
    num_lines +=
        line.find(" class=") != std::string::npos && line.find(" -") == std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(num_rows, num_lines);
}

void ExpectSameFailures(const Said& said) {
  std::set<std::string> failures;
  for (const ordered_json& row : said.json.at("evaluations")) {
    if (row.contains("failure")) failures.insert(row.at("failure"));
  }
  EXPECT_EQ(said.page.at("failures"), ordered_json(failures));
  for (const std::string& failure : failures) {
    EXPECT_THAT(said.text, HasSubstr("  lost: " + failure + "\n"));
  }
  if (failures.empty()) {
    EXPECT_THAT(said.text, Not(HasSubstr("  lost: ")));
  }
}

TEST(Results, AreTheSameNumbersOnThePageInTheTextAndInTheJson) {
  for (uint64_t seed = 0; seed < 200 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Said said = Say(RandomResults(seed).Make());
    EXPECT_FALSE(said.page.at("tables").empty());
    for (const ordered_json& table : said.page.at("tables")) {
      SCOPED_TRACE(table.at("measure").get<std::string>());
      ExpectSameMatrix(said, table);
      ExpectSameSeries(said, table);
      ExpectSameMeans(said, table);
      ExpectSameBaselines(said, table);
    }
    ExpectSameSlices(said);
    ExpectSameFailures(said);
  }
}

}  // namespace
}  // namespace tidemill::cli
