// Expressions in real trainings and evaluations: a run that computes labels, features and
// conditions gives the weights and values of one whose data was prepared by hand, also by workers
// and after kills; and what it filters is counted.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/time.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

constexpr int kNumFlights = 1500;
constexpr int64_t kFirst = 1'700'000'000'000'000, kHour = 3'600'000'000;

struct Flight {
  int64_t time = 0;
  std::string carrier;
  int distance = 0;
  int delay = 0;
  bool landed = true;
  bool valid = true;

  // ISO: the day of 1970-01-01 was a Thursday.
  bool weekend() const { return (time / (24 * kHour) + 3) % 7 >= 5; }
};

std::vector<Flight> Flights() {
  std::mt19937_64 random(5);
  std::vector<Flight> flights;
  for (int i = 0; i < kNumFlights; ++i) {
    Flight flight;
    flight.time = kFirst + i * kHour;
    flight.carrier = std::vector<std::string>{"AA", "UA", "WN"}[random() % 3];
    flight.distance = static_cast<int>(random() % 3000);
    flight.delay = static_cast<int>(random() % 60) - 20 + (flight.carrier == "UA" ? 15 : 0);
    flight.landed = random() % 20 != 0;
    flight.valid = random() % 4 != 0;
    flights.push_back(flight);
  }
  return flights;
}

// The raw data, and the same data prepared by hand.
void WriteData(const std::string& folder) {
  std::ofstream raw(folder + "/raw.csv"), prepared(folder + "/prepared.csv");
  raw << "day,hour,carrier,distance,arr_delay,valid\n";
  prepared << "time,is_ua,log_distance,weekend,class\n";
  for (const Flight& flight : Flights()) {
    const std::string time = FormatTimestamp({flight.time});
    raw << fmt::format("{},{},{},{},{},{}\n", time.substr(0, 10), time.substr(11, 2),
                       flight.carrier, flight.distance,
                       flight.landed ? std::to_string(flight.delay) : "NA", flight.valid ? 1 : 0);
    if (!flight.valid) continue;
    const std::string late = flight.delay >= 15 ? "late" : "on_time";
    // The raw times have no minutes.
    prepared << fmt::format("{},{},{},{},{}\n", FormatTimestamp({flight.time / kHour * kHour}),
                            flight.carrier == "UA" ? 1 : 0,
                            std::log1p(static_cast<double>(flight.distance)),
                            flight.weekend() ? 1 : 0, flight.landed ? late : "");
  }
}

constexpr char kRaw[] = R"yaml(    files: "raw.csv"
    event_time: {expression: "time(concat(day, ' ', hour), '%Y-%m-%d %H')"}
    label: {expression: "arr_delay >= 15", classes: [on_time, late]}
    where: valid = 1
)yaml";
constexpr char kPrepared[] = R"(    files: "prepared.csv"
    event_time: {column: time}
    label: {column: class, classes: [on_time, late]}
)";
constexpr char kComputed[] = R"(    - parse_csv: {columns: [distance], dtype: float64}
    - parse_csv: {columns: [carrier], dtype: string}
    - compute: {log_distance: log1p(distance), is_ua: lower(carrier) = 'ua', weekend: weekday(@time) >= 6}
)";
constexpr char kParsed[] = "    - parse_csv: {columns: [is_ua, log_distance, weekend]}\n";

std::string WritePipeline(const std::string& folder, const std::string& dataset,
                          const std::string& ops, const std::string& selection = "new_data",
                          const std::string& workers = "", const std::string& slices = "") {
  const std::string path = folder + "/pipeline.yaml";
  std::ofstream(path) << fmt::format(R"(version: 1
name: flights
datasets:
  flights:
    path: .
{}    format: {{type: csv, header: true}}
    settle: 0s
preprocess:
  dataset: flights
{}  graph:
{}    - standardize: {{columns: [log_distance]}}
    - stack: {{columns: [is_ua, log_distance, weekend], into: input}}
    - label: {{into: target}}
model: {{type: mlp, hidden: [8], outputs: 2}}
trigger: {{type: amount, samples: 400}}
selection: {}
training: {{device: cpu, epochs: 3, batch_size: 16, loss: cross_entropy, warm_start: true, seed: 11,
           checkpoint_every: 20}}
evaluation:
  - {{dataset: flights, windows: {{type: between_triggers}}, models: all, measures: [accuracy, log_loss]{}}}
)",
                                     dataset, workers, ops, selection, slices);
  return path;
}

nlohmann::json RunIn(const Stack& stack, const std::string& pipeline,
                     const std::string& failpoint = "") {
  std::map<std::string, std::string> environment;
  const std::string marks = stack.files() + "/marks";
  std::filesystem::create_directory(marks);
  if (!failpoint.empty()) {
    environment = {{"TIDEMILL_FAILPOINTS", failpoint + "=kill"},
                   {"TIDEMILL_FAILPOINTS_ONCE", marks}};
  }
  const CommandResult result = stack.Tidemill({"run", pipeline, "--json"}, environment);
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  if (!failpoint.empty()) {
    EXPECT_TRUE(std::filesystem::exists(marks + "/" + failpoint)) << "nothing passed it";
  }
  return result.Json();
}

std::vector<std::string> RunOf(const std::string& dataset, const std::string& ops,
                               const std::string& workers = "", const std::string& failpoint = "") {
  const Stack stack;
  WriteData(stack.files());
  const std::string pipeline = WritePipeline(stack.files(), dataset, ops, "new_data", workers);
  return Fingerprint(RunIn(stack, pipeline, failpoint));
}

const std::vector<std::string>& PreparedByHand() {
  static const std::vector<std::string> lines = RunOf(kPrepared, kParsed);
  return lines;
}

TEST(ExpressionsRun, TrainsAndMeasuresWhatPreparedDataDo) {
  ASSERT_EQ(PreparedByHand().front(), "succeeded");
  ASSERT_GT(PreparedByHand().size(), 5U);
  EXPECT_EQ(RunOf(kRaw, kComputed), PreparedByHand());
}

TEST(ExpressionsRun, OfWorkersIsTheSame) {
  EXPECT_EQ(RunOf(kRaw, kComputed, "  workers: {}\n"), PreparedByHand());
}

TEST(ExpressionsRun, ThatWasKilledWhileItTrainedIsTheSame) {
  EXPECT_EQ(RunOf(kRaw, kComputed, "", "trainer_server.after_checkpoint"), PreparedByHand());
}

// The selection takes valid flights with a label of some carriers, and the filter
// leaves out those on short distances.
constexpr char kFiltered[] = R"(    - parse_csv: {columns: [distance], dtype: float64}
    - parse_csv: {columns: [carrier], dtype: string}
    - filter: distance >= 600
    - compute: {log_distance: log1p(distance), is_ua: carrier = 'UA', weekend: weekday(@time) >= 6}
)";
constexpr char kChosen[] =
    "{type: new_data, where: \"carrier in ('UA', 'WN') and @time is not null\"}";
constexpr char kSlices[] =
    ", slices: [{type: expression, name: far, value: distance >= 1500}, {type: expression, value: "
    "carrier}]";

TEST(ExpressionsRun, CountsWhatItFiltersAndAddsUp) {
  const Stack stack;
  WriteData(stack.files());
  const nlohmann::json run =
      RunIn(stack, WritePipeline(stack.files(), kRaw, kFiltered, kChosen, "", kSlices));
  // Each trigger takes 400 valid flights; the rest is not reached.
  const int64_t valid = std::ranges::count_if(Flights(), &Flight::valid);
  const int64_t reached = valid / 400 * 400;
  int64_t place = 0;
  int64_t unlabelled = 0;
  int64_t used = 0;
  for (const Flight& flight : Flights()) {
    if (!flight.valid || place++ >= reached || flight.carrier == "AA") continue;
    unlabelled += flight.landed ? 0 : 1;
    used += flight.landed && flight.distance >= 600 ? 1 : 0;
  }
  const nlohmann::json& ledger = run.at("ledger");
  EXPECT_EQ(ledger.at("known"), valid);
  EXPECT_EQ(ledger.at("not_reached"), valid - reached);
  EXPECT_EQ(ledger.at("unlabelled"), unlabelled);
  EXPECT_EQ(ledger.at("used"), used);
  EXPECT_EQ(ledger.at("filtered"), reached - unlabelled - used);
  EXPECT_EQ(ledger.at("bad"), 0);
  const nlohmann::json& left_out = run.at("left_out");
  EXPECT_EQ(left_out.at("filtered"), kNumFlights - valid);
  for (const auto& trigger : run.at("triggers")) {
    const nlohmann::json& of = trigger.at("ledger");
    EXPECT_GT(of.at("filtered").get<int64_t>(), 100) << of;
    EXPECT_EQ(of.at("bad"), 0);
  }
  std::map<std::string, int> slices;
  for (const auto& value : run.at("evaluations")) {
    EXPECT_EQ(value.at("bad"), 0);
    ++slices[value.value("slice", "")];
  }
  EXPECT_GT(slices["far=true"], 0);
  EXPECT_GT(slices["far=false"], 0);
  EXPECT_GT(slices["carrier=AA"], 0);
}

TEST(ExpressionsRun, ThatFiltersIsTheSameByWorkersAndAfterAKill) {
  const auto lines_of = [](const std::string& workers, const std::string& failpoint) {
    const Stack stack;
    WriteData(stack.files());
    const nlohmann::json run =
        RunIn(stack, WritePipeline(stack.files(), kRaw, kFiltered, kChosen, workers), failpoint);
    std::vector<std::string> lines = Fingerprint(run);
    lines.push_back(run.value("ledger", nlohmann::json()).dump());
    return lines;
  };
  const std::vector<std::string> undisturbed = lines_of("", "");
  ASSERT_EQ(undisturbed.front(), "succeeded");
  EXPECT_EQ(lines_of("  workers: {}\n", ""), undisturbed);
  EXPECT_EQ(lines_of("", "selector.before_commit"), undisturbed);
}

// A policy that looks at the model on some samples fires where it is bad on them, and does not
// where there are none.
TEST(ExpressionsRun, JudgesAModelOnTheSamplesThatItsTriggerNames) {
  const auto triggers_of = [](const std::string& where) {
    const Stack stack;
    WriteData(stack.files());
    const std::string path = WritePipeline(stack.files(), kRaw, kComputed);
    std::ifstream in(path);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string trigger = "{type: amount, samples: 400}";
    text.replace(text.find(trigger), trigger.size(),
                 "{type: performance, evaluate: {samples: 200}, criterion: {type: threshold, at: "
                 "1}, where: \"" +
                     where + "\"}");
    std::ofstream(path) << text;
    return RunIn(stack, path).at("triggers").size();
  };
  EXPECT_GE(triggers_of("carrier = 'UA'"), 3U);
  // The first training needs no model to look at.
  EXPECT_EQ(triggers_of("carrier = 'XX'"), 1U);
}

}  // namespace
}  // namespace tidemill::tests
