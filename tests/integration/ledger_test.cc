// Counts that add up, over random data and pipelines: each record that was written is in one count
// of its dataset, each sample in one of the run, of each trigger and of each evaluated window. What
// is where is known from the data alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "base/time.h"
#include "storage/client/storage_client.h"
#include "storage/testing/tfrecord_writer.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using tidemill::testing::IsOk;

constexpr int64_t kStart = 1'700'000'000;
constexpr const char* kCounts[] = {"used", "unlabelled", "filtered",    "late",
                                   "bad",  "deleted",    "not_reached", "skipped"};

int NumSeeds() {
  const char* const number = std::getenv("TIDEMILL_TEST_SEEDS");
  return number == nullptr ? 20 : std::atoi(number);
}

// What a record is good for.
enum class Kind { kGood, kUnlabelled, kBadField, kBadRecord };

struct Row {
  Kind kind = Kind::kGood;
  int64_t time = 0;
  bool deleted = false;
};

// Draws of one seed.
class Draws {
 public:
  explicit Draws(int seed) : seed_(seed) {}
  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(RandomUnit({.seed = seed_, .purpose = "ledger"}, next_++) *
                                static_cast<double>(limit));
  }
  bool Happens(double probability) {
    return RandomUnit({.seed = seed_, .purpose = "ledger"}, next_++) < probability;
  }
  template <typename T>
  const T& OneOf(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(Below(std::ssize(choices)))];
  }

 private:
  const int64_t seed_;
  int64_t next_ = 0;
};

struct Plan {
  std::string name;
  std::string format;
  bool drop_unlabelled = false;
  int64_t every = 0;  // Samples of a trigger.
  int64_t max_triggers = 0;
  bool new_data = true;
  std::string selection = {};
  int64_t epochs = 1;
  bool live = false;  // Its rows arrive in files, one after another, while it runs.
  std::vector<Row> rows = {};

  std::string Field(size_t row) const {
    return rows[row].kind == Kind::kBadField ? "?" : std::to_string(row % 7);
  }
  std::string Label(size_t row) const {
    return rows[row].kind == Kind::kUnlabelled ? "" : (row % 2 == 0 ? "a" : "b");
  }
};

Plan Draw(int seed) {
  Draws draws(seed);
  Plan plan{.name = fmt::format("s{}", seed),
            .format = draws.OneOf<std::string>({"csv", "jsonl", "tfrecord"})};
  plan.drop_unlabelled = draws.Happens(0.3);
  plan.every = 20 + draws.Below(60);
  plan.max_triggers = draws.Happens(0.2) ? 1 + draws.Below(3) : 0;
  plan.new_data = draws.Happens(0.5);
  plan.selection =
      plan.new_data
          ? "new_data"
          : draws.OneOf<std::string>({"all_data", "{type: uniform, samples: 30, over: all}",
                                      "{type: balanced, samples: 24, by: label, over: all}"});
  plan.epochs = 1 + draws.Below(3);
  const double unlabelled = draws.OneOf<double>({0, 0.1, 0.5});
  const double bad_field = draws.OneOf<double>({0, 0.1, 0.25});
  const double bad_record = draws.OneOf<double>({0, 0.05, 0.3});
  const double deleted = draws.OneOf<double>({0, 0, 0.1});
  int64_t time = kStart;
  for (int64_t i = 0, size = 100 + draws.Below(200); i < size; ++i) {
    Row row{.time = time};
    time += 1 + draws.Below(3);
    if (draws.Happens(bad_record)) {
      row.kind = Kind::kBadRecord;
    } else if (draws.Happens(unlabelled)) {
      row.kind = Kind::kUnlabelled;
    } else if (draws.Happens(bad_field)) {
      row.kind = Kind::kBadField;
    }
    row.deleted = row.kind != Kind::kBadRecord && draws.Happens(deleted);
    if (plan.drop_unlabelled && row.kind == Kind::kUnlabelled) row.deleted = false;
    plan.rows.push_back(row);
  }
  return plan;
}

// Rows [from, to).
struct Part {
  size_t from = 0;
  size_t to = 0;
};

std::string CsvOf(const Plan& plan, Part part) {
  std::string text = "t,x,y\n";
  for (size_t i = part.from; i < part.to; ++i) {
    text += plan.rows[i].kind == Kind::kBadRecord
                ? "no,record\n"
                : fmt::format("{},{},{}\n", plan.rows[i].time, plan.Field(i), plan.Label(i));
  }
  return text;
}

std::string JsonOf(const Plan& plan, Part part) {
  std::string text;
  for (size_t i = part.from; i < part.to; ++i) {
    text += plan.rows[i].kind == Kind::kBadRecord
                ? "{\"t\": 17\n"
                : fmt::format("{{\"t\": {}, \"x\": \"{}\", \"y\": \"{}\"}}\n", plan.rows[i].time,
                              plan.Field(i), plan.Label(i));
  }
  return text;
}

std::string ExamplesOf(const Plan& plan, Part part) {
  std::string bytes;
  for (size_t i = part.from; i < part.to; ++i) {
    storage::testing::ExampleContent content{.ints = {{"t", plan.rows[i].time}},
                                             .bytes = {{"y", plan.Label(i)}}};
    if (plan.rows[i].kind != Kind::kBadField) content.ints["x"] = static_cast<int64_t>(i % 7);
    std::string record = storage::testing::TfRecord(storage::testing::TfExample(content));
    if (plan.rows[i].kind == Kind::kBadRecord)
      record[14] ^= 1;  // Behind its length: its sum fails.
    bytes += record;
  }
  return bytes;
}

std::string PipelineOf(const Plan& plan) {
  const std::string reads = plan.format == "csv" ? "parse_csv: {columns: [x]}"
                            : plan.format == "jsonl"
                                ? "parse_json: {fields: [x]}"
                                : "parse_example: {features: [{name: x, dtype: int64}]}";
  return fmt::format(
      R"(version: 1
name: {0}
datasets:
  {0}:
    path: {0}
    files: "data????"
    format: {1}
    event_time: {{column: t, format: unix}}
    label: {{column: y, classes: [a, b], unlabelled: {2}}}
    max_bad_fraction: 1
{7}preprocess: {{dataset: {0}, graph: [{{{3}}}, {{stack: {{columns: all, into: input}}}}, {{label: {{into: target}}}}]}}
model: {{type: logistic, outputs: 2}}
trigger: {{type: amount, samples: {4}}}
selection: {5}
training: {{epochs: {6}, batch_size: 16, optimizer: {{type: sgd, lr: 0.1}}, loss: cross_entropy, seed: 1, max_bad_fraction: 1, device: cpu}}
evaluation: [{{dataset: {0}, windows: {{type: between_triggers}}, models: active, measures: [accuracy]}}]
)",
      plan.name, plan.format, plan.drop_unlabelled ? "drop" : "keep", reads, plan.every,
      plan.selection, plan.epochs,
      plan.live ? "    settle: 0s\nlive: {lateness: 0s, idle: 1s, poll: 100ms}\n" : "");
}

// Other files are not half written when they are seen.
void WritePart(const Plan& plan, const std::string& folder, Part part) {
  const std::string path = fmt::format("{}/data{:04}", folder + "/" + plan.name, part.from);
  std::ofstream(path + ".part", std::ios::binary)
      << (plan.format == "csv"     ? CsvOf(plan, part)
          : plan.format == "jsonl" ? JsonOf(plan, part)
                                   : ExamplesOf(plan, part));
  std::filesystem::rename(path + ".part", path);
}

void Write(const Plan& plan, const std::string& folder) {
  std::filesystem::create_directory(folder + "/" + plan.name);
  WritePart(plan, folder, {.to = plan.live ? plan.rows.size() / 3 : plan.rows.size()});
  std::ofstream(folder + "/" + plan.name + ".yaml") << PipelineOf(plan);
}

// Deletes the samples that the plan wants deleted, found by their times.
void DeleteSome(const Stack& stack, const Plan& plan, const std::string& pipeline) {
  std::set<int64_t> times;
  for (const Row& row : plan.rows) {
    if (row.deleted) times.insert(row.time * 1'000'000);
  }
  if (times.empty()) return;
  ASSERT_EQ(stack.Tidemill({"datasets", "register", pipeline}).exit_code, 0);
  const storage::StorageClient storage(stack.PeerOf("storage"));
  const auto dataset = storage.GetDataset(plan.name);
  ASSERT_THAT(dataset, IsOk());
  const auto snapshot = storage.SyncDataset({dataset->dataset_id()}, [](const auto&) {});
  ASSERT_THAT(snapshot, IsOk());
  std::vector<int64_t> keys;
  storage::v1::ListSamplesRequest list;
  *list.mutable_snapshot() = *snapshot;
  ASSERT_THAT(storage.ListSamples(list,
                                  [&](const batch::Batch& rows) {
                                    const auto of =
                                        rows.Find(batch::kEventTimeColumn)->Values<int64_t>();
                                    for (size_t i = 0; i < of.size(); ++i) {
                                      if (times.contains(of[i])) keys.push_back(rows.keys()[i]);
                                    }
                                    return absl::OkStatus();
                                  }),
              IsOk());
  ASSERT_EQ(keys.size(), times.size());
  const CommandResult deleted = stack.Tidemill({"datasets", "delete", plan.name, "--keys",
                                                fmt::format("{}", fmt::join(keys, ",")), "--yes"});
  ASSERT_EQ(deleted.exit_code, 0) << deleted.err;
}

int64_t SumOf(const nlohmann::json& ledger) {
  int64_t sum = 0;
  for (const char* const count : kCounts) sum += ledger.at(count).get<int64_t>();
  return sum;
}

// What the counts have to be.
struct Truth {
  int64_t num_bad_records = 0, num_dropped = 0, num_deleted = 0;
  std::vector<Row> stream;  // The samples, in order.

  explicit Truth(const Plan& plan) {
    for (const Row& row : plan.rows) {
      const bool dropped = plan.drop_unlabelled && row.kind == Kind::kUnlabelled;
      if (row.kind == Kind::kBadRecord) {
        ++num_bad_records;
      } else if (dropped) {
        ++num_dropped;
      } else if (row.deleted) {
        ++num_deleted;
      } else {
        stream.push_back(row);
      }
    }
  }
  int64_t Count(Kind kind, int64_t from, int64_t to) const {
    return std::count_if(stream.begin() + from, stream.begin() + to,
                         [&](const Row& row) { return row.kind == kind; });
  }
};

void CheckDataset(const Stack& stack, const Plan& plan, const Truth& truth) {
  const nlohmann::json shown = stack.Tidemill({"datasets", "show", plan.name, "--json"}).Json();
  const nlohmann::json& ledger = shown.at("ledger");
  EXPECT_EQ(ledger.at("known"), plan.rows.size());
  EXPECT_EQ(SumOf(ledger), ledger.at("known").get<int64_t>());
  EXPECT_EQ(ledger.at("used"), truth.stream.size());
  EXPECT_EQ(ledger.at("bad"), truth.num_bad_records);
  EXPECT_EQ(ledger.at("unlabelled"), truth.num_dropped);
  EXPECT_EQ(ledger.at("deleted"), truth.num_deleted);
}

void CheckRun(const nlohmann::json& run, const Plan& plan, const Truth& truth) {
  const auto size = std::ssize(truth.stream);
  const int64_t fired =
      std::min(size / plan.every, plan.max_triggers > 0 ? plan.max_triggers : size);
  ASSERT_EQ(std::ssize(run.at("triggers")), fired);
  const int64_t reached = fired * plan.every;
  const nlohmann::json& ledger = run.at("ledger");
  EXPECT_EQ(ledger.at("known"), size);
  EXPECT_EQ(SumOf(ledger), size);
  EXPECT_EQ(ledger.at("not_reached"), size - reached);
  EXPECT_EQ(ledger.at("unlabelled"), truth.Count(Kind::kUnlabelled, 0, reached));
  EXPECT_EQ(ledger.at("late"), 0);
  EXPECT_GE(ledger.at("filtered"), 0);
  if (plan.new_data && ledger.at("skipped") == 0) {
    EXPECT_EQ(ledger.at("bad"), truth.Count(Kind::kBadField, 0, reached));
    EXPECT_EQ(ledger.at("filtered"), 0);
  }
}

void CheckTriggers(const nlohmann::json& run, const Plan& plan, const Truth& truth) {
  for (const nlohmann::json& trigger : run.at("triggers")) {
    SCOPED_TRACE(trigger.dump());
    const int64_t to = trigger.at("number").get<int64_t>() * plan.every;
    const int64_t from = plan.new_data ? to - plan.every : 0;
    const nlohmann::json& ledger = trigger.at("ledger");
    EXPECT_EQ(trigger.at("new"), plan.every);
    EXPECT_EQ(ledger.at("known"), to - from);
    EXPECT_EQ(SumOf(ledger), to - from);
    EXPECT_EQ(ledger.at("unlabelled"), truth.Count(Kind::kUnlabelled, from, to));
    const int64_t bad = truth.Count(Kind::kBadField, from, to);
    if (trigger.contains("skip_reason")) continue;
    if (ledger.at("filtered") == 0) {
      EXPECT_EQ(ledger.at("bad"), bad) << "each once, in all epochs";
    } else {
      EXPECT_LE(ledger.at("bad").get<int64_t>(), bad);
    }
  }
}

// Windows are between triggers, and the models in use were measured on those after the first one.
void CheckEvaluations(const nlohmann::json& run, const Plan& plan, const Truth& truth) {
  for (const nlohmann::json& value : run.at("composite").at("active")) {
    SCOPED_TRACE(value.dump());
    const auto number = [&](const char* key) { return value.at(key).get<int64_t>(); };
    EXPECT_EQ(number("samples") + number("bad") + number("unlabelled") + number("deleted"),
              number("known"));
    const auto place = [&](const char* key) -> int64_t {
      const auto time = ParseTimestamp(value.at(key).get<std::string>());
      return std::lower_bound(truth.stream.begin(), truth.stream.end(), time->micros / 1'000'000,
                              [](const Row& row, int64_t at) { return row.time < at; }) -
             truth.stream.begin() + 1;  // Behind the sample with which a trigger fired.
    };
    const int64_t from = place("from"),
                  to = std::min<int64_t>(place("to"), std::ssize(truth.stream));
    EXPECT_EQ(number("known"), to - from);
    EXPECT_EQ(number("bad"), truth.Count(Kind::kBadField, from, to));
    EXPECT_EQ(number("unlabelled"), truth.Count(Kind::kUnlabelled, from, to));
    EXPECT_EQ(from % plan.every, 0);
  }
}

// Ends a random service while the run continues; the keeper starts it again.
void KillSome(const Stack& stack, Draws draws) {
  const std::vector<std::string> programs = {"tidemill-supervisor", "tidemill-selector",
                                             "tidemill-storage", "tidemill-evaluator",
                                             "tidemill-trainer-server"};
  for (const int process : stack.Processes(draws.OneOf(programs))) kill(process, SIGKILL);
}

TEST(Ledger, AddsUpOverRandomDataAndPipelines) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  for (int seed = 1; seed <= NumSeeds(); ++seed) {
    const Plan plan = Draw(seed);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Write(plan, stack.files());
    const std::string pipeline = stack.files() + "/" + plan.name + ".yaml";
    ASSERT_NO_FATAL_FAILURE(DeleteSome(stack, plan, pipeline));
    const std::vector<std::string> words = {"run", pipeline, "--max-triggers",
                                            std::to_string(plan.max_triggers)};
    if (seed % 5 == 0) {
      std::vector<std::string> detached = words;
      detached.push_back("--detach");
      const CommandResult started = stack.Tidemill(detached);
      ASSERT_EQ(started.exit_code, 0) << started.err << PipelineOf(plan);
      KillSome(stack, Draws(seed));
    }
    std::vector<std::string> whole = words;
    whole.insert(whole.end(), {"--json", "--quiet"});
    const CommandResult result = stack.Tidemill(whole);
    ASSERT_NE(result.out, "") << result.err << stack.Logs();
    const nlohmann::json run = result.Json();
    const Truth truth(plan);
    CheckDataset(stack, plan, truth);
    CheckRun(run, plan, truth);
    CheckTriggers(run, plan, truth);
    CheckEvaluations(run, plan, truth);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << PipelineOf(plan) << result.err << run.dump();
      break;
    }
  }
}

// Returns the run once it has decided on all samples and trained for each trigger.
nlohmann::json AwaitAll(const Stack& stack, const Plan& plan, const Truth& truth) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes{2};
  nlohmann::json run;
  while (std::chrono::steady_clock::now() < give_up) {
    run = stack.Tidemill({"runs", "show", plan.name, "--json", "--quiet"}).Json();
    // A service that was killed does not answer for a while.
    if (!run.contains("triggers")) continue;
    const auto& triggers = run.at("triggers");
    const bool all_done = std::ranges::all_of(triggers, [](const nlohmann::json& trigger) {
      return trigger.contains("skip_reason") ||
             (trigger.contains("model") && trigger.at("model").is_number() &&
              trigger.at("model") != 0);
    });
    // While it runs, what follows the last trigger is not in its ledger.
    const nlohmann::json dataset = stack.Tidemill({"datasets", "show", plan.name, "--json"}).Json();
    const bool all_came =
        dataset.contains("ledger") && dataset.at("ledger").at("known") == std::ssize(plan.rows);
    if (all_done && all_came && std::ssize(triggers) == std::ssize(truth.stream) / plan.every) {
      return run;
    }
  }
  ADD_FAILURE() << "the run does not come to its end: " << run.dump();
  return run;
}

TEST(Ledger, AddsUpOverLiveRuns) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  for (int seed = 1; seed <= std::max(NumSeeds() / 5, 1); ++seed) {
    Plan plan = Draw(1000 + seed);
    plan.live = true;
    plan.max_triggers = 0;
    for (Row& row : plan.rows) row.deleted = false;
    SCOPED_TRACE(fmt::format("live, seed {}", seed));
    Write(plan, stack.files());
    const std::string pipeline = stack.files() + "/" + plan.name + ".yaml";
    const CommandResult started = stack.Tidemill({"run", pipeline, "--detach"});
    ASSERT_EQ(started.exit_code, 0) << started.err << PipelineOf(plan);
    const size_t third = plan.rows.size() / 3;
    WritePart(plan, stack.files(), {.from = third, .to = 2 * third});
    if (seed % 2 == 0) KillSome(stack, Draws(seed));
    WritePart(plan, stack.files(), {.from = 2 * third, .to = plan.rows.size()});
    const Truth truth(plan);
    AwaitAll(stack, plan, truth);
    ASSERT_EQ(stack.Tidemill({"runs", "stop", plan.name}).exit_code, 0);
    stack.Tidemill({"watch", plan.name, "--quiet"});  // Until it has stopped.
    const nlohmann::json run = stack.Tidemill({"runs", "show", plan.name, "--json"}).Json();
    CheckDataset(stack, plan, truth);
    CheckRun(run, plan, truth);
    CheckTriggers(run, plan, truth);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << PipelineOf(plan) << run.dump();
      break;
    }
  }
}

}  // namespace
}  // namespace tidemill::tests
