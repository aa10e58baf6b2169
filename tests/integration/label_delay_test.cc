// A series from its file to its models, by key: a trigger trains on no window whose label was not
// known at its cut, and no model is measured on what it was trained on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "base/time.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using tidemill::testing::IsOk;

constexpr int kNumRows = 2000, kHistory = 4, kHorizon = 60;
constexpr int64_t kStart = 1'700'000'000, kMinute = 60'000'000;

// A wave, one row a minute; the pipeline forecasts it an hour ahead.
std::string WriteSeriesPipeline(const std::string& folder) {
  std::ofstream data(folder + "/wave.csv");
  data << "t,x\n";
  for (int row = 0; row < kNumRows; ++row) {
    data << fmt::format("{},{}\n", kStart + 60 * row, row % 97 < 48 ? row % 97 : 97 - row % 97);
  }
  const std::string path = folder + "/series.yaml";
  std::ofstream(path) << fmt::format(R"(version: 1
name: wave
datasets:
  wave:
    path: .
    files: "wave.csv"
    format: csv
    event_time: {{column: t, format: unix}}
    series: {{history: {}, horizon: {}, target: x, step: 1m}}
    settle: 0s
preprocess:
  dataset: wave
  graph:
    - parse_csv: {{columns: [x], rows: all}}
    - standardize: {{columns: all}}
    - stack: {{columns: all, by: row, into: input}}
    - label: {{into: target}}
model: {{type: mlp, hidden: [8], outputs: 1}}
trigger: {{type: time, every: 7h}}
selection: new_data
training: {{device: cpu, batch_size: 32, loss: mse, seed: 1}}
evaluation:
  - {{dataset: wave, windows: {{type: between_triggers}}, models: active, measures: [mae]}}
)",
                                     kHistory, kHorizon);
  return path;
}

// The event time of every key.
std::map<int64_t, int64_t> ListTimes(const storage::StorageClient& storage) {
  const auto dataset = storage.GetDataset("wave");
  EXPECT_THAT(dataset, IsOk());
  const auto snapshot = storage.SyncDataset({dataset->dataset_id()}, [](const auto&) {});
  EXPECT_THAT(snapshot, IsOk());
  std::map<int64_t, int64_t> times;
  storage::v1::ListSamplesRequest list;
  *list.mutable_snapshot() = *snapshot;
  EXPECT_THAT(storage.ListSamples(list,
                                  [&](const batch::Batch& rows) {
                                    const auto of =
                                        rows.Find(batch::kEventTimeColumn)->Values<int64_t>();
                                    for (size_t i = 0; i < of.size(); ++i)
                                      times[rows.keys()[i]] = of[i];
                                    return absl::OkStatus();
                                  }),
              IsOk());
  return times;
}

TEST(LabelDelay, NoKeyIsTrainedOnBeforeItsLabelIsKnownNorMeasuredAfterwards) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const CommandResult result =
      stack.Tidemill({"run", WriteSeriesPipeline(stack.files()), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const nlohmann::json run = result.Json();
  const storage::StorageClient storage(stack.PeerOf("storage"));
  selector::SelectorClient selector(stack.PeerOf("selector"));
  const std::map<int64_t, int64_t> times = ListTimes(storage);
  ASSERT_EQ(times.size(), kNumRows - (kHistory - 1) - kHorizon);

  std::set<int64_t> trained;
  ASSERT_EQ(run.at("triggers").size(), 4U);  // 32 hours of windows.
  for (size_t n = 0; n < 4; ++n) {
    const int64_t cut = ParseTimestamp(run["triggers"][n].at("at").get<std::string>())->micros;
    const auto set =
        selector.ReadTrainingSet(RunId{run.at("run").get<int64_t>()}, static_cast<int64_t>(n) + 1);
    ASSERT_THAT(set, IsOk());
    EXPECT_EQ(set->num_rows(), 7 * 60);
    for (const int64_t key : set->keys()) {
      EXPECT_LE(times.at(key) + kHorizon * kMinute, cut);
      EXPECT_TRUE(trained.insert(key).second) << "trained on twice";
    }
    // The window in which its model is the one in use begins at the cut.
    for (const auto& value : run["composite"]["active"]) {
      if (value.at("trigger") != n + 1) continue;
      const int64_t from = ParseTimestamp(value.at("from").get<std::string>())->micros;
      EXPECT_EQ(from, cut);
      for (const int64_t key : trained) EXPECT_LT(times.at(key), from);
    }
  }
  // Nothing between the first and the last of them was left out.
  const int64_t last = *trained.rbegin();
  for (const auto& [key, time] : times) EXPECT_EQ(trained.contains(key), key <= last);
}

}  // namespace
}  // namespace tidemill::tests
