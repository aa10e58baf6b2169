// A live run on a real stack: files grow and appear, some samples come late, the supervisor is
// killed twice. Each key that was generated must be decided on exactly once: in order, or late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "fmt/format.h"

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "base/time.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using selector::SelectorClient;
using ::testing::IsEmpty;
using tidemill::testing::IsOk;

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kStart = 1'700'000'000 * kSecond;
constexpr milliseconds kTick{100};
constexpr int kLinesATick = 16;
constexpr int64_t kStep = kSecond / 10;          // The event time from one line to the next.
constexpr int kTicksAFile = 40;                  // Then the next file begins.
constexpr int64_t kMaxOutOfOrder = 2 * kSecond;  // Below the lateness of the pipeline.

// How long the generator writes; the variable is for longer runs than those of every day.
std::chrono::seconds HowLong() {
  const char* seconds = std::getenv("TIDEMILL_LIVE_SECONDS");
  return std::chrono::seconds(seconds == nullptr ? 15 : std::atoi(seconds));
}

// What was written of one sample.
struct Written {
  std::string line;
  int64_t event_time = 0;
  bool is_late = false;  // Far after those before it.
};

// Appends lines to a file, and begins a new one now and then.
class Generator {
 public:
  explicit Generator(std::string folder) : folder_(std::move(folder)) {}

  void Tick() {
    if (ticks_++ % kTicksAFile == 0) ++file_;
    std::ofstream out(fmt::format("{}/part_{:04}.csv", folder_, file_), std::ios::app);
    for (int i = 0; i < kLinesATick; ++i) out << Next();
  }

  // One sample ahead, no more than `ahead`, which ends every period before it.
  void WriteLast() {
    std::ofstream out(fmt::format("{}/part_{:04}.csv", folder_, ++file_));
    out << Add(kStart + static_cast<int64_t>(written_.size()) * kStep + 600 * kSecond, false);
  }

  const std::vector<Written>& written() const { return written_; }
  int64_t GreatestTime() const {
    return std::max_element(
               written_.begin(), written_.end(),
               [](const Written& a, const Written& b) { return a.event_time < b.event_time; })
        ->event_time;
  }

 private:
  std::string Next() {
    const auto id = static_cast<int64_t>(written_.size());
    const RandomKey key{.seed = 5, .purpose = "live"};
    const auto draw = [&](int64_t n) { return RandomUnit(key, 3 * id + n); };
    const bool late = id > 1200 && draw(0) < 0.03;
    const double behind = late ? static_cast<double>(90 * kSecond) * (1 + draw(1))
                               : static_cast<double>(kMaxOutOfOrder) * draw(1);
    return Add(kStart + id * kStep - static_cast<int64_t>(behind), late);
  }

  std::string Add(int64_t time, bool late) {
    const auto id = static_cast<int64_t>(written_.size());
    const double x = static_cast<double>(id % 17) / 17;
    const std::string line =
        fmt::format("{},{},{:.4f},{}", id, FormatTimestamp({time}), x, x * 17 > 8 ? "UP" : "DOWN");
    written_.push_back({.line = line, .event_time = time, .is_late = late});
    return line + "\n";
  }

  const std::string folder_;
  int ticks_ = 0;
  int file_ = 0;
  std::vector<Written> written_;
};

std::string PipelineText(const std::string& late) {
  return fmt::format(R"(version: 1
name: live
datasets:
  feed:
    path: feed
    files: "*.csv"
    append: true
    settle: 0s
    format: {{type: csv, header: false, columns: [id, time, x, class]}}
    event_time: {{column: time}}
    label: {{column: class, classes: [DOWN, UP]}}
preprocess:
  dataset: feed
  graph:
    - parse_csv: {{columns: [x], dtype: float32}}
    - stack: {{columns: all, into: input}}
    - label: {{into: target}}
model: {{type: mlp, hidden: [4], outputs: 2}}
trigger: {{type: time, every: 60s}}
live: {{lateness: 5s, late: {}, idle: 2s, poll: 200ms}}
training: {{device: cpu, batch_size: 64, optimizer: {{type: adam, lr: 1e-2}}, warm_start: true, seed: 3}}
evaluation:
  - {{dataset: feed, windows: {{type: between_triggers}}, models: active, measures: [accuracy]}}
)",
                     late);
}

class Live : public ::testing::TestWithParam<const char*> {
 protected:
  Live() : generator_(stack_.files() + "/feed") {
    std::filesystem::create_directory(stack_.files() + "/feed");
    std::ofstream(stack_.files() + "/pipeline.yaml") << PipelineText(GetParam());
  }

  nlohmann::json Show() const {
    return stack_.Tidemill({"runs", "show", std::to_string(run_), "--json"}).Json();
  }

  // Looks until something holds; fails after five minutes.
  void Await(const char* what, const std::function<bool()>& holds) const {
    const auto give_up = Clock::now() + std::chrono::minutes{5};
    while (!holds()) {
      ASSERT_LT(Clock::now(), give_up) << what << "\n" << Show().dump() << stack_.Logs();
    }
  }

  // Writes for as long as is asked, and kills the supervisor after each third of that.
  void GenerateAndKill() {
    const auto begin = Clock::now();
    const auto length = HowLong();
    int kills = 0;
    for (auto next = begin; Clock::now() < begin + length; next += kTick) {
      generator_.Tick();
      if (kills < 2 && Clock::now() > begin + (kills + 1) * length / 3) {
        for (const int process : stack_.Processes("tidemill-supervisor")) kill(process, SIGKILL);
        ++kills;
      }
      std::this_thread::sleep_until(next + kTick);
    }
    EXPECT_EQ(kills, 2);
  }

  void AwaitIngest(const storage::StorageClient& storage) const {
    Await("not everything is ingested", [&] {
      const auto dataset = storage.GetDataset("feed");
      return dataset.ok() &&
             dataset->num_samples() == static_cast<int64_t>(generator_.written().size());
    });
  }

  // The keys of each sample's line, by the id in the line.
  std::map<int64_t, int64_t> KeysById(const storage::StorageClient& storage) const {
    std::map<int64_t, int64_t> keys_by_id;
    const auto dataset = storage.GetDataset("feed");
    storage::v1::ListSamplesRequest everything;
    *everything.mutable_snapshot() = dataset->snapshot();
    std::vector<int64_t> keys;
    EXPECT_THAT(storage.ListSamples(everything,
                                    [&](const batch::Batch& rows) {
                                      keys.insert(keys.end(), rows.keys().begin(),
                                                  rows.keys().end());
                                      return absl::OkStatus();
                                    }),
                IsOk());
    EXPECT_THAT(storage.ReadSamples(
                    {dataset->dataset_id()}, keys,
                    [&](const batch::Batch& rows, const auto& missing) {
                      EXPECT_THAT(missing, IsEmpty());
                      for (int64_t row = 0; row < rows.num_rows(); ++row) {
                        const std::string line(rows.Find(batch::kPayloadColumn)->Bytes(row));
                        const int64_t id = std::stoll(line);
                        const Written& written = generator_.written().at(static_cast<size_t>(id));
                        EXPECT_EQ(line.substr(0, written.line.size()), written.line);
                        EXPECT_TRUE(keys_by_id.emplace(id, rows.keys()[row]).second) << id;
                      }
                      return absl::OkStatus();
                    }),
                IsOk());
    return keys_by_id;
  }

  Stack stack_;
  Generator generator_;
  int64_t run_ = 0;
};

// How often the triggers decided on each key, and which came late.
struct Decided {
  std::map<int64_t, int> trained;
  std::map<int64_t, int> late;
};

Decided ReadDecisions(SelectorClient& selector, RunId run, int64_t num_triggers) {
  Decided decided;
  for (int64_t trigger = 1; trigger <= num_triggers; ++trigger) {
    const auto set = selector.ReadTrainingSet(run, trigger);
    EXPECT_THAT(set, IsOk());
    const auto late = selector.ReadLateSamples(run, trigger);
    EXPECT_THAT(late, IsOk());
    if (!set.ok() || !late.ok()) continue;
    for (const int64_t key : set->keys()) ++decided.trained[key];
    for (const int64_t key : late->keys()) ++decided.late[key];
  }
  return decided;
}

TEST_P(Live, EachKeyIsDecidedOnOnceThoughTheSupervisorIsKilledTwice) {
  const bool accepts = std::string(GetParam()) == "accept";
  const CommandResult started =
      stack_.Tidemill({"run", stack_.files() + "/pipeline.yaml", "--detach", "--json"});
  ASSERT_EQ(started.exit_code, 0) << started.err << stack_.Logs();
  run_ = started.Json().at("run").get<int64_t>();
  GenerateAndKill();
  const storage::StorageClient storage(stack_.PeerOf("storage"));
  AwaitIngest(storage);
  const int64_t greatest = generator_.GreatestTime();
  generator_.WriteLast();
  Await("the last period is not trained on", [&] {
    const nlohmann::json shown = Show();
    if (!shown.contains("triggers") || shown["triggers"].empty()) return false;
    const nlohmann::json& last = shown["triggers"].back();
    return ParseTimestamp(last.at("at").get<std::string>())->micros > greatest &&
           last.at("model").get<int64_t>() > 0;
  });
  ASSERT_EQ(stack_.Tidemill({"runs", "stop", std::to_string(run_)}).exit_code, 0);
  Await("the run does not stop", [&] { return Show().value("state", "") == "stopped"; });

  const nlohmann::json shown = Show();
  const auto num_triggers = static_cast<int64_t>(shown.at("triggers").size());
  SelectorClient selector(stack_.PeerOf("selector"));
  const Decided decided = ReadDecisions(selector, {run_}, num_triggers);
  const std::map<int64_t, int64_t> keys = KeysById(storage);
  ASSERT_EQ(keys.size(), generator_.written().size());
  int64_t lost = 0;
  int64_t repeated = 0;
  int64_t wrongly_late = 0;
  int64_t written_late = 0;
  const auto times = [](const std::map<int64_t, int>& of, int64_t key) {
    const auto it = of.find(key);
    return it == of.end() ? 0 : it->second;
  };
  for (const auto& [id, key] : keys) {
    const Written& written = generator_.written()[static_cast<size_t>(id)];
    if (id + 1 == static_cast<int64_t>(keys.size())) continue;  // Ends the last period.
    const int late = times(decided.late, key);
    const int in_order = times(decided.trained, key) - (accepts ? late : 0);
    lost += in_order + late == 0 ? 1 : 0;
    repeated += in_order + late > 1 ? 1 : 0;
    wrongly_late += late > 0 && !written.is_late ? 1 : 0;
    written_late += written.is_late ? 1 : 0;
  }
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(repeated, 0);
  EXPECT_EQ(wrongly_late, 0);
  EXPECT_FALSE(decided.late.empty());
  EXPECT_FALSE(shown.at("evaluations").empty());
  fmt::print(
      "late: {}: {} samples written, {} of them far behind; {} triggers, {} keys late; {} "
      "lost, {} repeated\n",
      GetParam(), keys.size(), written_late, num_triggers, decided.late.size(), lost, repeated);
}

INSTANTIATE_TEST_SUITE_P(EachPolicy, Live, ::testing::Values("accept", "window", "quarantine"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace tidemill::tests
