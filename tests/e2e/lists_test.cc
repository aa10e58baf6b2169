// Runs and models by their names, tags and notes, and in lists, on real runs.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// One stack for all tests of this file: two runs of `small`, and one of `other`.
class ListsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    stack_ = new Stack();
    ASSERT_EQ(stack_->Tidemill({"up"}).exit_code, 0) << stack_->Logs();
    const std::string small = WriteSmallPipeline(stack_->files());
    Run({small, "--max-triggers", "2", "--tag", "nightly", "--tag", "first", "--note", "a note"});
    Run({small, "--max-triggers", "1"});
    std::string text = ReadText(small);
    const std::string name = "name: small";
    text.replace(text.find(name), name.size(), "name: other");
    const std::string other = stack_->files() + "/other.yaml";
    std::ofstream(other) << text;
    Run({other, "--max-triggers", "1", "--tag", "nightly"});
  }
  static void TearDownTestSuite() {
    delete stack_;
    stack_ = nullptr;
  }

  static void Run(std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "--quiet"});
    const CommandResult run = stack_->Tidemill(words);
    ASSERT_EQ(run.exit_code, 0) << run.err << stack_->Logs();
  }

  static std::string ReadText(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  // The runs or models of a list.
  static std::vector<int> Listed(const std::string& group, const std::string& key,
                                 std::vector<std::string> words) {
    words.insert(words.begin(), {group, "list", "--json"});
    const CommandResult list = stack_->Tidemill(words);
    EXPECT_EQ(list.exit_code, 0) << list.err;
    std::vector<int> numbers;
    for (const auto& entry : list.Json()) numbers.push_back(entry.at(key).get<int>());
    return numbers;
  }
  static std::vector<int> Runs(const std::vector<std::string>& words) {
    return Listed("runs", "run", words);
  }
  static std::vector<int> Models(const std::vector<std::string>& words) {
    return Listed("models", "model", words);
  }

  static Stack* stack_;
};

Stack* ListsTest::stack_ = nullptr;

TEST_F(ListsTest, EveryCommandOnRunsTakesTheNamesOfRuns) {
  for (const auto& [name, run] : {std::pair("latest", 3), std::pair("latest:small", 2),
                                  std::pair("small", 2), std::pair("other", 3)}) {
    const CommandResult shown = stack_->Tidemill({"runs", "show", name, "--json"});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    EXPECT_EQ(shown.Json().at("run"), run) << name;
    EXPECT_THAT(shown.err, HasSubstr(std::string(name) + " is run " + std::to_string(run)));
    EXPECT_EQ(stack_->Tidemill({"runs", "show", name, "--json", "--quiet"}).err, "");
  }
  EXPECT_EQ(stack_->Tidemill({"runs", "show", "small/1", "--json"}).Json().at("run"), 2);
  EXPECT_EQ(stack_->Tidemill({"watch", "latest", "--json"}).Json().at("run"), 3);
  EXPECT_EQ(stack_->Tidemill({"runs", "watch", "small", "--json"}).Json().at("run"), 2);
  EXPECT_EQ(stack_->Tidemill({"runs", "stop", "small", "--json"}).Json().at("run"), 2);
  EXPECT_EQ(stack_->Tidemill({"why", "latest:small", "--json"}).exit_code, 0);
  EXPECT_EQ(stack_->Tidemill({"why", "small/1", "--json"}).exit_code, 0);
  EXPECT_EQ(stack_->Tidemill({"runs", "diff", "1/1", "latest/1", "--json"}).exit_code, 0);
  const auto compared = stack_->Tidemill({"compare", "1", "latest", "--json"}).Json();
  EXPECT_EQ(compared.at("runs")[1].at("run"), 3);
  const std::string report = stack_->files() + "/latest.html";
  EXPECT_EQ(stack_->Tidemill({"report", "latest", "--output", report}).exit_code, 0);
  EXPECT_THAT(ReadText(report), HasSubstr("nightly"));
  EXPECT_EQ(stack_->Tidemill({"pull", "small", "--into", stack_->files() + "/pulled"}).exit_code,
            0);
  EXPECT_EQ(stack_->Tidemill({"backtest", "small", "--run", "small", "--json"}).exit_code, 0);
  EXPECT_THAT(stack_->Tidemill({"logs", "supervisor", "--run", "other"}).out,
              AllOf(HasSubstr("run=\"3\""), Not(HasSubstr("run=\"2\""))));
  // These have ended, and the answers name the run.
  EXPECT_THAT(stack_->Tidemill({"top", "other"}).err, HasSubstr("run 3 is not running"));
  EXPECT_THAT(stack_->Tidemill({"trigger", "other"}).err, HasSubstr("run 3 is not running"));
  EXPECT_THAT(stack_->Tidemill({"runs", "resume", "other"}).err, HasSubstr("run 3 has succeeded"));
  EXPECT_THAT(stack_->Tidemill({"runs", "delete", "other", "--dry-run"}).out,
              HasSubstr("run 3 of other"));
}

TEST_F(ListsTest, EveryCommandOnModelsTakesTheNamesOfModels) {
  const int last_of_small = Models({"--run", "small", "--limit", "1"}).at(0);
  const auto model_of = [&](const std::string& name) {
    const CommandResult shown = stack_->Tidemill({"models", "show", name, "--json"});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    return shown.Json().at("model").get<int>();
  };
  EXPECT_EQ(model_of("small"), last_of_small);
  EXPECT_EQ(model_of("latest:small"), last_of_small);
  EXPECT_EQ(model_of("latest"), model_of("other"));
  EXPECT_EQ(model_of("1/2"), Models({"--run", "1", "--limit", "1"}).at(0));
  EXPECT_EQ(model_of("small/1"), last_of_small);
  const std::string folder = stack_->files() + "/exported";
  EXPECT_EQ(stack_->Tidemill({"models", "export", "small", "-o", folder}).exit_code, 0);
  const std::string rows = stack_->files() + "/rows.csv";
  std::ofstream(rows) << "a,b,c\n0.5,0.5,0.5\n";
  for (const char* name : {"small", "latest:small", "small/1"}) {
    const CommandResult predicted = stack_->Tidemill({"predict", name, "--input", rows});
    EXPECT_THAT(predicted.err, HasSubstr("model " + std::to_string(last_of_small))) << name;
  }
}

TEST_F(ListsTest, AnUnknownNameIsAnsweredWithASimilarOne) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"runs", "show", "smal"},
                                             {"models", "show", "smal"},
                                             {"predict", "smal", "--input", "-"}}) {
    const CommandResult result = stack_->Tidemill(words);
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_THAT(result.err, HasSubstr("did you mean 'small'?")) << words[0];
  }
  EXPECT_THAT(stack_->Tidemill({"runs", "show", "lates"}).err, HasSubstr("did you mean 'latest'?"));
  EXPECT_THAT(stack_->Tidemill({"runs", "show", "electricity"}).err,
              HasSubstr("there are other, small"));
  EXPECT_EQ(stack_->Tidemill({"runs", "show", "no name"}).exit_code, 3);
  EXPECT_THAT(stack_->Tidemill({"runs", "show", "small/x"}).err,
              HasSubstr("neither RUN nor RUN/TRIGGER"));
  EXPECT_THAT(stack_->Tidemill({"runs", "diff", "1", "2/1"}).err, HasSubstr("is not RUN/TRIGGER"));
  EXPECT_THAT(stack_->Tidemill({"models", "show", "small/9"}).err,
              HasSubstr("run 2 has no model of trigger 9"));
}

TEST_F(ListsTest, RunsAreFilteredSortedAndLimited) {
  EXPECT_THAT(Runs({}), ElementsAre(3, 2, 1));
  EXPECT_THAT(Runs({"--reverse"}), ElementsAre(1, 2, 3));
  EXPECT_THAT(Runs({"--pipeline", "small"}), ElementsAre(2, 1));
  EXPECT_THAT(Runs({"--tag", "nightly"}), ElementsAre(3, 1));
  EXPECT_THAT(Runs({"--tag", "nightly", "--tag", "first"}), ElementsAre(1));
  EXPECT_THAT(Runs({"--only", "failed", "--only", "succeeded"}), ElementsAre(3, 2, 1));
  EXPECT_THAT(Runs({"--only", "failed"}), ElementsAre());
  EXPECT_THAT(Runs({"--sort", "-triggers"}), ElementsAre(1, 3, 2));
  EXPECT_THAT(Runs({"--sort", "triggers", "--reverse"}), ElementsAre(1, 3, 2));
  EXPECT_THAT(Runs({"--sort", "pipeline"}), ElementsAre(3, 2, 1));
  EXPECT_THAT(Runs({"--sort", "run", "--limit", "2"}), ElementsAre(1, 2));
  const CommandResult limited = stack_->Tidemill({"runs", "list", "--limit", "1"});
  EXPECT_EQ(limited.err, "2 more; --limit 0 shows all\n");
  EXPECT_EQ(stack_->Tidemill({"runs", "list", "--limit", "0"}).err, "");
  const CommandResult failed = RunTidemill({"runs", "list", "--state", "failed", "--json"},
                                           {{"TIDEMILL_STATE", stack_->state()}}, stack_->files());
  EXPECT_EQ(failed.out, "[]\n") << failed.err;
}

TEST_F(ListsTest, RunsHaveTheirScoresAndRulesBesideThem) {
  const auto listed = stack_->Tidemill({"runs", "list", "--json"}).Json();
  const auto run = stack_->Tidemill({"runs", "show", "1", "--json"}).Json();
  double sum = 0;
  int64_t samples = 0;
  for (const auto& value : run.at("composite").at("active")) {
    if (value.at("measure") != listed[2].at("score").at("measure")) continue;
    sum += value.at("value").get<double>() * value.at("samples").get<double>();
    samples += value.at("samples").get<int64_t>();
  }
  ASSERT_GT(samples, 0);
  EXPECT_NEAR(listed[2].at("score").at("value").get<double>(), sum / samples, 1e-12);
  EXPECT_EQ(listed[2].at("score").at("samples"), samples);
  EXPECT_TRUE(listed[2].at("score").at("baseline").is_number());
  const std::vector<int> by_score = Runs({"--sort", "-score"});
  std::vector<double> scores;
  for (const int number : by_score) {
    scores.push_back(listed[static_cast<size_t>(3 - number)].at("score").at("value"));
  }
  EXPECT_TRUE(std::is_sorted(scores.rbegin(), scores.rend()));
}

TEST_F(ListsTest, ListsAreTablesCsvOrJson) {
  const std::string table = stack_->Tidemill({"runs", "list"}).out;
  EXPECT_THAT(table, AllOf(HasSubstr("BASELINE"), HasSubstr("DURATION"), HasSubstr("first nightly"),
                           Not(HasSubstr("NOTE"))));
  EXPECT_THAT(stack_->Tidemill({"runs", "list", "-o", "wide"}).out,
              AllOf(HasSubstr("NOTE"), HasSubstr("a note")));
  EXPECT_THAT(stack_->Tidemill({"runs", "list", "-o", "csv", "--limit", "1"}).out,
              AllOf(StartsWith("run,pipeline,state,measure,score,baseline,baseline_name,dataset,"
                               "triggers,samples,seconds,started_at,finished_at,tags,note,error\n"
                               "3,other,succeeded,"),
                    HasSubstr(",nightly,,\n")));
  EXPECT_EQ(stack_->Tidemill({"runs", "list", "-o", "json"}).Json().size(), 3);
  EXPECT_THAT(stack_->Tidemill({"models", "list", "-o", "csv", "--run", "1"}).out,
              StartsWith("model,run,trigger,pipeline,state,measure,score,baseline,baseline_name,"
                         "parent,samples,seconds,bytes,created_at,tags,why_in_use\n"));
  EXPECT_THAT(stack_->Tidemill({"models", "list"}).out,
              AllOf(HasSubstr("in use"), HasSubstr("kept"), HasSubstr("first nightly")));
}

TEST_F(ListsTest, ModelsAreFilteredSortedAndLimited) {
  const std::vector<int> all = Models({});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_TRUE(std::is_sorted(all.rbegin(), all.rend()));
  EXPECT_EQ(Models({"--pipeline", "small"}).size(), 3U);
  EXPECT_EQ(Models({"--tag", "first"}).size(), 2U);
  EXPECT_EQ(Models({"--tag", "missing"}).size(), 0U);
  EXPECT_EQ(Models({"--only", "kept"}).size(), 4U);
  EXPECT_EQ(Models({"--only", "removed"}).size(), 0U);
  EXPECT_EQ(Models({"--run", "small"}).size(), 1U);
  const std::vector<int> oldest = {all[3], all[2], all[1], all[0]};
  EXPECT_EQ(Models({"--sort", "model"}), oldest);
  EXPECT_EQ(Models({"--sort", "-trigger", "--limit", "1"}),
            Models({"--run", "1", "--sort", "-trigger", "--limit", "1"}));
  EXPECT_EQ(stack_->Tidemill({"models", "list", "--limit", "3"}).err,
            "1 more; --limit 0 shows all\n");
}

TEST_F(ListsTest, WrongValuesAreRefusedWithTheRightOnes) {
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    const CommandResult result = stack_->Tidemill(words);
    EXPECT_EQ(result.exit_code, 2) << why;
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused({"runs", "list", "--sort", "scores"}, "did you mean 'score'? the keys are run, pipeline");
  refused({"models", "list", "--sort", "size"}, "the keys are model, run, trigger");
  refused({"runs", "list", "--only", "done"}, "running,succeeded,failed,stopped");
  refused({"runs", "list", "-o", "xml"}, "table,wide,csv,json");
  refused({"runs", "list", "--limit", "-1"}, "--limit");
  refused({"runs", "list", "--json", "-o", "csv"}, "--json and -o csv contradict each other");
  const CommandResult state =
      RunTidemill({"runs", "list", "--state", "fialed"}, {}, stack_->files());
  EXPECT_EQ(state.exit_code, 2);
  EXPECT_THAT(state.err, HasSubstr("did you mean 'failed'? the states are running, succeeded"));
  EXPECT_THAT(stack_->Tidemill({"runs", "list", "--tag", "a b"}).err,
              HasSubstr("cannot name a tag"));
}

TEST_F(ListsTest, TagsAndNotesAreChangedLater) {
  const CommandResult tagged = stack_->Tidemill({"runs", "tag", "2", "kept", "weekly"});
  EXPECT_EQ(tagged.out, "run 2: tags kept, weekly; no note\n") << tagged.err;
  EXPECT_THAT(Runs({"--tag", "weekly"}), ElementsAre(2));
  EXPECT_EQ(stack_->Tidemill({"runs", "note", "2", "with more data"}).exit_code, 0);
  EXPECT_THAT(stack_->Tidemill({"runs", "show", "2"}).out,
              AllOf(HasSubstr("tags: kept, weekly\n"), HasSubstr("note: with more data\n")));
  EXPECT_EQ(stack_->Tidemill({"runs", "untag", "2", "weekly", "kept"}).out,
            "run 2: no tags; note: with more data\n");
  EXPECT_EQ(stack_->Tidemill({"runs", "note", "2", ""}).out, "run 2: no tags; no note\n");
  EXPECT_EQ(stack_->Tidemill({"runs", "tag", "2", "a b"}).exit_code, 3);
  EXPECT_EQ(stack_->Tidemill({"runs", "tag", "99", "a"}).exit_code, 4);
}

}  // namespace
}  // namespace tidemill::tests
