// A policy that looks at mistakes, tried on the stored models of a run, decides as a separate run
// does, and has the same values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using nlohmann::json;

constexpr int kNumRows = 4000, kBlock = 500;
constexpr int64_t kStart = 1'700'000'000;
constexpr char kPolicy[] =
    "{type: performance, evaluate: {samples: 500}, criterion: {type: threshold, at: 0.7}}";

// One row a second. The rule is turned about in the second block alone.
void WriteRows(const std::string& folder) {
  std::ofstream data(folder + "/rows.csv");
  data << "t,x,y\n";
  for (int row = 0; row < kNumRows; ++row) {
    const double x = row * 37 % 101 / 101.0;
    const bool turned = row / kBlock == 1;
    data << fmt::format("{},{},{}\n", kStart + row, x, (x > 0.5) != turned ? "high" : "low");
  }
}

std::string WritePipeline(const std::string& folder, const std::string& name,
                          const std::string& trigger) {
  const std::string path = fmt::format("{}/{}.yaml", folder, name);
  std::ofstream(path) << fmt::format(R"(version: 1
name: {}
datasets:
  rows:
    path: .
    files: "rows.csv"
    format: csv
    event_time: {{column: t, format: unix}}
    label: {{column: y, classes: [low, high]}}
    settle: 0s
preprocess:
  dataset: rows
  graph:
    - parse_csv: {{columns: [x]}}
    - standardize: {{columns: all}}
    - stack: {{columns: all, into: input}}
    - label: {{into: target}}
model: {{type: mlp, hidden: [8], outputs: 2}}
trigger: {}
selection: {{type: all_data, limit: 500}}
training:
  {{device: cpu, epochs: 10, batch_size: 32, optimizer: {{type: adam, lr: 0.01}}, loss: cross_entropy,
   warm_start: false, fit: first_trigger, seed: 1}}
evaluation:
  - {{dataset: rows, windows: {{type: slices, every: 500s}}, models: all, measures: [accuracy]}}
)",
                                     name, trigger);
  return path;
}

std::vector<std::pair<json, json>> CutsOf(const json& triggers, const std::string& key) {
  std::vector<std::pair<json, json>> cuts;
  for (const json& trigger : triggers) cuts.emplace_back(trigger["at"], trigger[key]);
  return cuts;
}

TEST(AskedModels, DecideAsARunOfThePolicyDoes) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  WriteRows(stack.files());
  const auto run = [&](const std::string& name, const std::string& trigger) {
    const CommandResult result =
        stack.Tidemill({"run", WritePipeline(stack.files(), name, trigger), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
    return result.Json();
  };
  const json grid = run("grid", "{type: amount, samples: 500}");
  const json own = run("own", kPolicy);
  ASSERT_EQ(grid["triggers"].size(), 8);
  // Right before, in and after the block whose rule is inverted.
  ASSERT_EQ(own["triggers"].size(), 3);

  const std::string policy = stack.files() + "/policy.yaml";
  std::ofstream(policy) << kPolicy;
  const CommandResult result =
      stack.Tidemill({"backtest", "grid", "--policy", policy, "--models", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const json tested = result.Json()["results"][0];
  EXPECT_EQ(tested["models"]["exact"], true) << tested["models"];
  EXPECT_EQ(CutsOf(tested["triggers"], "key"), CutsOf(own["triggers"], "at_key"));

  std::map<std::pair<int64_t, std::string>, json> values;  // By trigger and window.
  for (const json& value : own["evaluations"]) {
    values[{value["trigger"], value["from"]}] = value["value"];
  }
  int num_compared = 0;
  for (const json& window : tested["windows"]) {
    if (window["trigger"].is_null()) continue;
    ++num_compared;
    EXPECT_EQ(window["value"], (values[{window["trigger"], window["from"]}])) << window;
  }
  EXPECT_GE(num_compared, 6);
}

}  // namespace
}  // namespace tidemill::tests
