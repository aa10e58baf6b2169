// A run in which every part that a user can write is a plug-in, and the network a file of
// TorchScript, while processes of all kinds are killed; replayed, and live.
//
// TIDEMILL_PLUGIN_KILLS: how many seeds of each, 1 of a replay unless it says otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "base/testing/tree.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr char kRestOfThePipeline[] = R"(
trigger: {type: plugin, use: "mistakes.py:Mistakes", with: {at: 0.9, samples: 200}}
selection: {type: plugin, use: "choices.py:UniformShare", with: {fraction: 0.8}, over: new}
training:
  device: cpu
  epochs: 3
  batch_size: 16
  optimizer: {type: adam, lr: 1e-2}
  loss: cross_entropy
  warm_start: true
  seed: 11
  checkpoint_every: 20
  downsampling: {type: plugin, use: "stale_loss.py:StaleLoss", fraction: 0.5}
evaluation:
  - dataset: drift
    windows: {type: between_triggers}
    models: all
    measures: [accuracy, {type: plugin, use: "cost.py:Cost"}]
)";

constexpr char kLive[] = "live: {lateness: 1s, idle: 2s, poll: 200ms}\n";

// The small pipeline with five kinds of plug-ins and a network beside it. `more`: sections to add.
std::string WritePipeline(const Stack& stack, const std::string& more) {
  const std::string& folder = stack.files();
  const std::string path = WriteSmallPipeline(folder);
  for (const std::string name : {"mistakes.py", "choices.py", "scaling.py"}) {
    std::filesystem::copy_file(testing::InTree(std::string("tests/plugin/plugins/") + name),
                               folder + "/" + name);
  }
  for (const std::string name : {"stale_loss.py", "cost.py"}) {
    std::filesystem::copy_file(testing::InTree(std::string("plugin/examples/") + name),
                               folder + "/" + name);
  }
  std::filesystem::copy_file(testing::InTree("tests/testdata/network.pt"), folder + "/network.pt");
  std::string text;
  std::ifstream small(path);
  for (std::string line; std::getline(small, line) && !line.starts_with("trigger:");) {
    if (line.find("standardize:") != std::string::npos) {
      line = "    - plugin: {use: \"scaling.py:Standardized\", columns: [a, b, c]}";
    }
    if (line.starts_with("model:"))
      line = "model: {type: torchscript, file: network.pt, outputs: 2}";
    text += line + '\n';
  }
  std::ofstream(path) << text << kRestOfThePipeline << more;
  return path;
}

int64_t NumSeeds() {
  const char* const wanted = std::getenv("TIDEMILL_PLUGIN_KILLS");
  return wanted == nullptr ? 1 : std::atoll(wanted);
}

bool HasState(const nlohmann::json& run, const std::string& state) {
  return run.is_object() && run.value("state", "") == state;
}

// A live run never ends. Here its triggers come to use up all samples, of which each selects four
// fifths; the last model is then measured.
bool UsedAllSamples(const nlohmann::json& run) {
  if (!run.is_object()) return false;  // The supervisor is being started.
  constexpr int64_t kSelected = 960;
  int64_t selected = 0;
  for (const auto& trigger : run.value("triggers", nlohmann::json::array())) {
    selected += trigger.at("samples").get<int64_t>();
  }
  const auto& evaluations = run.value("evaluations", nlohmann::json::array());
  return selected == kSelected &&
         std::ranges::any_of(evaluations, [&](const nlohmann::json& evaluation) {
           return evaluation.at("trigger") == run.at("triggers").back().at("number");
         });
}

// The run once it has ended; a live run is told to end.
nlohmann::json AwaitEnd(const Stack& stack, const std::string& run, bool is_live) {
  constexpr int kLooks = 3'000;
  if (!is_live) return stack.Tidemill({"watch", run, "--json"}).Json();
  nlohmann::json shown;
  for (int look = 0; look < kLooks && !UsedAllSamples(shown); ++look) {
    shown = stack.Tidemill({"runs", "show", run, "--json"}).Json();
  }
  EXPECT_TRUE(UsedAllSamples(shown)) << shown.dump() << stack.Logs();
  EXPECT_EQ(stack.Tidemill({"runs", "stop", run}).exit_code, 0);
  for (int look = 0; look < kLooks && !HasState(shown, "stopped"); ++look) {
    shown = stack.Tidemill({"runs", "show", run, "--json"}).Json();
  }
  return shown;
}

// Kills one process after another until the run has ended; says which.
std::vector<std::string> KillMeanwhile(const Stack& stack, const std::string& run, int64_t seed) {
  static constexpr const char* kPrograms[] = {
      "tidemill-plugin-host", "tidemill-supervisor",  "tidemill-selector",
      "tidemill-plugin-host", "tidemill-train",       "tidemill-trainer-server",
      "tidemill-plugin-host", "tidemill-evaluator",   "tidemill-evaluate",
      "tidemill-storage",     "tidemill-model-store", "postgres"};
  constexpr int kMaxKills = 12;
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  std::vector<std::string> killed;
  // Looking at the run takes some tenths of a second: that is the pace.
  for (int looks = 0; looks < 2000 && killed.size() < kMaxKills; ++looks) {
    const CommandResult shown = stack.Tidemill({"runs", "show", run, "--json"});
    const nlohmann::json now = shown.Json();
    if (now.is_object() && (!HasState(now, "running") || UsedAllSamples(now))) break;
    if (random() % 3 == 0) continue;
    const std::string program = kPrograms[random() % std::size(kPrograms)];
    const std::vector<int> processes = stack.Processes(program);
    if (processes.empty()) continue;
    kill(processes[random() % processes.size()], SIGKILL);
    killed.push_back(program);
  }
  return killed;
}

class PluginKills : public ::testing::TestWithParam<const char*> {};

TEST_P(PluginKills, ARunOfPluginsIsTheSameWhateverIsKilled) {
  const bool is_live = *GetParam() != '\0';
  int64_t num_hosts_killed = 0;
  const auto run = [&](const Stack& stack, int64_t seed) -> std::vector<std::string> {
    EXPECT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
    const CommandResult begun =
        stack.Tidemill({"run", WritePipeline(stack, GetParam()), "--detach", "--json"});
    EXPECT_EQ(begun.exit_code, 0) << begun.err << stack.Logs();
    if (begun.exit_code != 0) return {};
    const std::string number = begun.Json().at("run").dump();
    if (seed > 0) {
      const std::vector<std::string> killed = KillMeanwhile(stack, number, seed);
      EXPECT_FALSE(killed.empty()) << "seed " << seed;
      num_hosts_killed += std::ranges::count(killed, "tidemill-plugin-host");
    }
    return Fingerprint(AwaitEnd(stack, number, is_live));
  };
  const Stack undisturbed;
  const std::vector<std::string> wanted = run(undisturbed, 0);
  EXPECT_THAT(wanted, Contains(HasSubstr("\"cost\"")));
  for (int64_t seed = 1; seed <= NumSeeds(); ++seed) {
    const Stack stack;
    EXPECT_EQ(run(stack, seed), wanted) << "seed " << seed << stack.Logs();
  }
  EXPECT_GT(num_hosts_killed, 0);
}

// Live runs last longer, and are for more seeds than those of every day.
std::vector<const char*> Modes() {
  if (NumSeeds() > 1) return {"", kLive};
  return {""};
}

INSTANTIATE_TEST_SUITE_P(, PluginKills, ::testing::ValuesIn(Modes()), [](const auto& tested) {
  return std::string(*tested.param == '\0' ? "Replayed" : "Live");
});

}  // namespace
}  // namespace tidemill::tests
