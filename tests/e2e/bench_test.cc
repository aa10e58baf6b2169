// The benchmark suite as its users run it: cut anywhere, and resumed.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/numbers/random.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

// How often the command is killed; more by night.
int NumKills() {
  const char* kills = std::getenv("TIDEMILL_BENCH_KILLS");
  return kills != nullptr ? std::atoi(kills) : 5;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

class BenchTest : public ::testing::Test {
 protected:
  BenchTest() : suite_(stack_.files() + "/suite") {
    const std::string entry = suite_ + "/tabular/small";
    fs::create_directories(entry);
    const std::string pipeline = *files::Read(WriteSmallPipeline(entry));
    std::ofstream(entry + "/sweep.yaml")
        << Replaced(Replaced(pipeline, "warm_start: true", "warm_start: false"),
                    "{type: balanced, fraction: 0.8, weights: inverse_probability}", "all_data");
    std::ofstream(entry + "/benchmark.yaml") << R"yaml(version: 1
name: small
domain: tabular
description: Which side of a line that turns?
runs:
  - {name: often, pipeline: pipeline.yaml, seconds: 5}
  - {name: once, pipeline: pipeline.yaml, with: {trigger: "{type: amount, samples: 400}"}, max_triggers: 1, seconds: 3}
smoke: {run: often, max_triggers: 1}
checks:
  - {name: better than the most frequent class, type: gain, run: often, baseline: constant, measure: accuracy, at_least: 0.01}
sweep:
  pipeline: sweep.yaml
  measure: accuracy
  seconds: 5
  policies:
    - {name: amount, trigger: "{type: amount, samples: N}", tune: {N: [250, 500]}}
    - {name: broken, trigger: "{type: amount}"}
comparisons:
  - name: policies
    pipeline: pipeline.yaml
    measure: accuracy
    seconds: 5
    variants:
      - {name: amount, with: {trigger: "{type: amount, samples: 400}"}}
)yaml";
  }

  std::vector<std::string> Words(const std::string& results) const {
    return {"bench",     "run",
            "--suite",   suite_,
            "--results", stack_.files() + "/" + results,
            "--work",    stack_.files() + "/work",
            "--seeds",   "1",
            "--json"};
  }

  // Runs the command, and kills it after `milliseconds`.
  void RunAndKill(const std::string& results, int64_t milliseconds) const {
    std::vector<std::string> words = Words(results);
    words.insert(words.begin(), "tidemill");
    words.insert(words.end(), {"--state", stack_.state()});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const int nowhere = open("/dev/null", O_WRONLY);
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
      execv((ProgramFolder() + "/tidemill").c_str(), argv.data());
      _exit(127);
    }
    poll(nullptr, 0, static_cast<int>(milliseconds));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  // All that was measured, without what depends on the time of day.
  std::string Measured(const std::string& results) const {
    std::ifstream file(stack_.files() + "/" + results + "/small.jsonl");
    std::string all;
    for (std::string line; std::getline(file, line);) {
      nlohmann::json result = nlohmann::json::parse(line);
      for (const char* key : {"seconds", "measured_at", "machine"}) result.erase(key);
      auto& figures = result.at(result.contains("run") ? "run" : "figures");
      for (const char* key : {"seconds", "training_seconds", "selecting_seconds",
                              "deciding_seconds", "run_seconds", "processor_seconds"}) {
        figures.erase(key);
      }
      if (figures.contains("triggers")) {
        for (auto& trigger : figures["triggers"]) trigger.erase("seconds");
      }
      all += result.dump() + "\n";
    }
    return all;
  }

  Stack stack_;
  const std::string suite_;
};

TEST_F(BenchTest, MeasuresChecksAndKeepsWhatWasMeasured) {
  const CommandResult first = stack_.Tidemill(Words("results"));
  ASSERT_EQ(first.exit_code, 0) << first.err << stack_.Logs();
  const nlohmann::json json = first.Json();
  EXPECT_EQ(json["cases"]["measured"], 4);
  EXPECT_TRUE(json["holds"]) << json["entries"][0]["checks"];
  EXPECT_TRUE(json["entries"][0]["checks"][0]["holds"]) << json["entries"][0]["checks"];
  EXPECT_GT(json["machine"]["cores"], 0);
  EXPECT_EQ(json["entries"][0]["variants"][0]["variant"], "amount");
  // A policy that cannot be tried costs no other one, and is named.
  EXPECT_THAT(json["entries"][0]["failed"].dump(), HasSubstr("samples"));
  const auto& costs = json["entries"][0]["regret"]["costs"];
  ASSERT_FALSE(costs.empty());
  for (const auto& cost : costs) EXPECT_GE(cost["regret"]["mean"], -1e-9) << cost.dump();

  const CommandResult second = stack_.Tidemill(Words("results"));
  EXPECT_EQ(second.Json()["cases"]["measured"], 0);
  EXPECT_EQ(second.Json()["cases"]["kept"], 4);
  EXPECT_EQ(second.Json()["entries"], json["entries"]);
  const nlohmann::json report = stack_
                                    .Tidemill({"bench", "report", "--suite", suite_, "--results",
                                               stack_.files() + "/results", "--json"})
                                    .Json();
  EXPECT_EQ(report["entries"], json["entries"]);
  // Nothing is left behind in the stack.
  EXPECT_TRUE(stack_.Tidemill({"pipelines", "list", "--json"}).Json().empty());
}

TEST_F(BenchTest, ResumedAfterKillsMeasuresTheSame) {
  const CommandResult whole = stack_.Tidemill(Words("whole"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err << stack_.Logs();
  const RandomKey key{.seed = 36, .purpose = "kills"};
  for (int i = 0; i < NumKills(); ++i) {
    RunAndKill("cut", static_cast<int64_t>(RandomUnit(key, i) * 4000));
    if (i % 3 == 2) stack_.KillAll();
  }
  const CommandResult resumed = stack_.Tidemill(Words("cut"));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err << stack_.Logs();
  EXPECT_EQ(Measured("cut"), Measured("whole"));
  EXPECT_EQ(resumed.Json()["entries"][0]["regret"], whole.Json()["entries"][0]["regret"]);
}

TEST_F(BenchTest, SaysWhatItLeavesOut) {
  std::vector<std::string> words = Words("results");
  words.insert(words.end(), {"--budget", "9s"});
  const CommandResult fits = stack_.Tidemill(words);
  EXPECT_THAT(fits.err, HasSubstr("left out, over the budget: small sweep/1"));
  EXPECT_EQ(fits.Json()["cases"]["measured"], 2);
  words = Words("results");
  words.insert(words.end(), {"--budget", "soon"});
  EXPECT_EQ(stack_.Tidemill(words).exit_code, 3);
  words = Words("results");
  words.push_back("tabular/nothing");
  EXPECT_EQ(stack_.Tidemill(words).exit_code, 4);
}

TEST_F(BenchTest, RunsOnAStackOfItsOwnWhereADatasetOfTheUserHasTheNameOfOneOfTheSuite) {
  const std::string mine = stack_.files() + "/mine";
  fs::create_directories(mine);
  ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
  const CommandResult registered =
      stack_.Tidemill({"datasets", "register", WriteSmallPipeline(mine)});
  ASSERT_EQ(registered.exit_code, 0) << registered.err << stack_.Logs();
  // Storage continues to ingest it, so the numbers of its samples may grow.
  const auto datasets = [&] {
    std::vector<std::string> specs;
    for (const auto& dataset : stack_.Tidemill({"datasets", "list", "--json"}).Json()) {
      specs.push_back(dataset.at("dataset").get<std::string>() +
                      dataset.at("spec").get<std::string>());
    }
    return specs;
  };
  const std::vector<std::string> before = datasets();
  ASSERT_EQ(before.size(), 1);
  std::vector<std::string> words = Words("results");
  words.insert(words.end(), {"--smoke", "tabular/small"});
  // The stack that a flag names is the user's, and so is what is on it.
  const CommandResult named = stack_.Tidemill(words);
  EXPECT_EQ(named.exit_code, 8);
  EXPECT_THAT(named.err, AllOf(HasSubstr("another dataset drift"), HasSubstr("without --state")));
  // The stack that the environment names is passed over.
  const CommandResult own =
      RunTidemill(words, {{"TIDEMILL_STATE", stack_.state()}}, stack_.files());
  EXPECT_EQ(own.exit_code, 0) << own.err;
  EXPECT_EQ(own.Json()["cases"]["measured"], 1);
  EXPECT_EQ(datasets(), before);
  RunTidemill({"down", "--purge", "--yes", "--state", stack_.files() + "/work/stack"}, {},
              stack_.files());
}

TEST_F(BenchTest, LeavesOutAnEntryWithoutItsData) {
  fs::create_directories(suite_ + "/text/far");
  std::ofstream(suite_ + "/text/far/benchmark.yaml") << R"yaml(version: 1
name: far
domain: text
description: Its data is elsewhere.
data: [{path: far/away.csv, sha256: abadabadabadabadabadabadabadabadabadabadabadabadabadabadabadabad, source: nowhere, licence: none}]
runs: [{name: a, pipeline: p.yaml}]
)yaml";
  const CommandResult listed = stack_.Tidemill({"bench", "list", "--suite", suite_, "--json"},
                                               {{"TIDEMILL_DATA", stack_.files()}});
  EXPECT_EQ(listed.Json()[1]["data"], "missing");
  const CommandResult smoke = stack_.Tidemill(
      {"bench", "run", "--suite", suite_, "--work", stack_.files() + "/work", "--smoke", "--json"},
      {{"TIDEMILL_DATA", stack_.files()}});
  EXPECT_EQ(smoke.exit_code, 0) << smoke.err;
  EXPECT_EQ(smoke.Json()["cases"]["measured"], 1);
  const CommandResult fetched = stack_.Tidemill({"bench", "fetch", "far", "--suite", suite_},
                                                {{"TIDEMILL_DATA", stack_.files()}});
  EXPECT_EQ(fetched.exit_code, 4);
  EXPECT_THAT(fetched.err,
              HasSubstr("far/away.csv is not below TIDEMILL_DATA; its source is nowhere"));
}

}  // namespace
}  // namespace tidemill::tests
