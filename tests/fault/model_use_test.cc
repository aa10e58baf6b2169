// The model that answers, asked by commands while processes are killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/small_pipeline.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// A stack whose models answer, and what they should.
class Answering {
 public:
  Answering() {
    EXPECT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
    pipeline = WriteSmallPipeline(stack.files());
    std::ofstream(Input()) << "a,b,c\n0.5,-0.1,0.2\n";
    Train(3);
  }

  std::string Input() const { return stack.files() + "/one.csv"; }

  // Runs the pipeline until it has trained this many models more.
  void Train(int num_triggers, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"run", pipeline, "-q", "--max-triggers",
                                      std::to_string(num_triggers)};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult run = stack.Tidemill(words);
    EXPECT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  }

  // The number of the model that `predict` asks.
  int64_t Answer() const {
    const CommandResult said = stack.Tidemill({"predict", "small", "--input", Input(), "--json"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return said.exit_code == 0 ? said.Json()["summary"]["model"].get<int64_t>() : 0;
  }

  json Changes() const {
    const CommandResult listed =
        stack.Tidemill({"models", "changes", "small", "--limit", "5000", "--json"});
    EXPECT_EQ(listed.exit_code, 0) << listed.err;
    return listed.exit_code == 0 ? listed.Json() : json::array();
  }

  void KillSupervisor() const {
    for (const int process : stack.Processes("tidemill-supervisor")) kill(process, SIGKILL);
  }

  Stack stack;
  std::string pipeline;
};

TEST(ModelUse, CommandsSayWhichModelAnswersAndWhy) {
  Answering answering;
  const Stack& stack = answering.stack;
  const int64_t third = answering.Answer();
  const CommandResult used = stack.Tidemill({"models", "use", "small/1", "--pin"});
  ASSERT_EQ(used.exit_code, 0) << used.err;
  EXPECT_THAT(used.out, HasSubstr("until `tidemill models use small --unpin`"));
  const int64_t first = answering.Answer();
  EXPECT_NE(first, third);
  answering.Train(1);
  EXPECT_EQ(answering.Answer(), first);
  const CommandResult predicted = stack.Tidemill({"predict", "small", "-i", answering.Input()});
  EXPECT_THAT(predicted.err, HasSubstr("in use and pinned since"));
  EXPECT_THAT(predicted.err, HasSubstr("(`models use --pin`)"));
  const json exported =
      stack.Tidemill({"models", "export", "small", "-o", stack.files() + "/out", "--json"}).Json();
  EXPECT_EQ(exported["in_use"]["command"], "models use --pin");
  EXPECT_THAT(stack.Tidemill({"models", "list"}).out, HasSubstr("in use, pinned"));
  EXPECT_EQ(stack.Tidemill({"models", "show", "small", "--json"}).Json()["in_use"]["model"], first);
  EXPECT_THAT(stack.Tidemill({"runs", "show", "latest"}).out,
              HasSubstr("small answers with model"));
  EXPECT_THAT(stack.Tidemill({"why", "latest/1"}).out, HasSubstr("is pinned"));
  const json changes = answering.Changes();
  EXPECT_EQ(changes[0]["kind"], "kept");
  EXPECT_EQ(changes[1]["kind"], "used");

  EXPECT_EQ(stack.Tidemill({"models", "use", "small", "--unpin"}).exit_code, 0);
  EXPECT_EQ(stack.Tidemill({"models", "use", "small", "--unpin"}).exit_code, 7);
  EXPECT_EQ(stack.Tidemill({"models", "use", "small"}).exit_code, 2);
  EXPECT_EQ(stack.Tidemill({"models", "use", "small/1", "--pin", "--none"}).exit_code, 2);
  EXPECT_EQ(stack.Tidemill({"models", "use", "small/9"}).exit_code, 4);
  EXPECT_EQ(stack.Tidemill({"models", "rollback", "other"}).exit_code, 4);
  EXPECT_EQ(stack.Tidemill({"models", "rollback", "small"}).exit_code, 0);
  EXPECT_EQ(answering.Answer(), third);
  const CommandResult refused = stack.Tidemill({"runs", "delete", "1", "--yes"});
  EXPECT_EQ(refused.exit_code, 7);
  EXPECT_THAT(refused.err, HasSubstr("tidemill models use"));
  EXPECT_EQ(stack.Tidemill({"models", "use", "small", "--none"}).exit_code, 0);
  const CommandResult none = stack.Tidemill({"predict", "small", "-i", answering.Input()});
  EXPECT_EQ(none.exit_code, 7);
  EXPECT_THAT(none.err, HasSubstr("has no model in use"));
  EXPECT_EQ(stack.Tidemill({"runs", "delete", "1", "--yes"}).exit_code, 0);
}

// Commands in a random order, and kill -9 while one of them is in progress.
TEST(ModelUse, IsWhatTheLastCommandThatSucceededSaidThoughProcessesAreKilled) {
  Answering answering;
  const Stack& stack = answering.stack;
  std::mt19937 random(5);
  std::vector<int64_t> models;
  for (const json& model : stack.Tidemill({"models", "list", "--json"}).Json()) {
    models.push_back(model["model"].get<int64_t>());
  }
  ASSERT_EQ(models.size(), 3U);
  std::ranges::sort(models);
  std::vector<int64_t> before = {models[0], models[1]};
  int64_t in_use = answering.Answer();
  ASSERT_EQ(in_use, models[2]);
  for (int step = 0; step < 20; ++step) {
    const size_t chosen = random() % (models.size() + 1);
    const bool goes_back = chosen == models.size();
    const int64_t to = goes_back ? (before.empty() ? 0 : before.back()) : models[chosen];
    std::vector<std::string> words = {"models", "rollback", "small"};
    if (!goes_back) words = {"models", "use", std::to_string(to)};
    words.insert(words.end(), {"--state", stack.state()});
    CommandResult result;
    {
      RunningCommand command(words, {}, stack.files());
      if (step % 3 == 1) answering.KillSupervisor();
      if (step % 3 == 2) stack.KillAll();
      result = command.Result();
    }
    if (step % 3 == 2) {
      ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
    }
    const int64_t now = answering.Answer();
    if (result.exit_code == 0) {
      ASSERT_EQ(now, to) << "step " << step << ": " << result.out;
    } else {
      // Its answer was lost, or it never began.
      ASSERT_TRUE(now == to || now == in_use) << "step " << step << ": " << result.err;
    }
    if (now == in_use) continue;
    if (goes_back) {
      before.pop_back();
    } else {
      before.push_back(in_use);
    }
    in_use = now;
  }
}

TEST(ModelUse, OfAPipelineThatWantsABetterOneIsTheSameWhereTheSupervisorIsKilled) {
  std::vector<json> changes;
  for (const char* const point : {"", "supervisor.before_judged", "supervisor.after_judged"}) {
    const Stack stack;
    const std::string marks = stack.files() + "/marks";
    std::filesystem::create_directory(marks);
    std::map<std::string, std::string> environment;
    if (*point != '\0') {
      environment = {{"TIDEMILL_FAILPOINTS", point + std::string("=kill")},
                     {"TIDEMILL_FAILPOINTS_ONCE", marks}};
    }
    ASSERT_EQ(stack.Tidemill({"up"}, environment).exit_code, 0) << stack.Logs();
    const std::string pipeline = WriteSmallPipeline(stack.files());
    std::ofstream(pipeline, std::ios::app) << "promote: {when: better}\n";
    const CommandResult run = stack.Tidemill({"run", pipeline, "--json"}, environment);
    ASSERT_EQ(run.exit_code, 0) << run.err << stack.Logs();
    if (*point != '\0') {
      EXPECT_TRUE(std::filesystem::exists(marks + "/" + point));
    }
    json listed = stack.Tidemill({"models", "changes", "small", "--json"}).Json();
    EXPECT_EQ(listed.size(), run.Json()["models"].size());
    for (json& change : listed) change.erase("at");
    changes.push_back(std::move(listed));
  }
  EXPECT_EQ(changes[1].dump(), changes[0].dump());
  EXPECT_EQ(changes[2].dump(), changes[0].dump());
}

TEST(ModelUse, WithoutAnEvaluationNoModelCanBeBetter) {
  const Stack stack;
  const std::string pipeline = WriteSmallPipeline(stack.files());
  std::ofstream(pipeline, std::ios::app) << "promote: {when: better, on: speed}\n";
  const CommandResult unknown = stack.Tidemill({"check", pipeline});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err + unknown.out, HasSubstr("'speed', which no evaluation has"));
}

}  // namespace
}  // namespace tidemill::tests
