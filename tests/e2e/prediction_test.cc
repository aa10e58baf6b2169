// `tidemill predict` on the models of a real run.
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// One run for all tests of this file.
class PredictionTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    stack_ = new Stack();
    const CommandResult run =
        stack_->Tidemill({"run", WriteSmallPipeline(stack_->files()), "--quiet"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  static void TearDownTestSuite() {
    delete stack_;
    stack_ = nullptr;
  }

  static std::string Write(const std::string& name, const std::string& text) {
    const std::string path = stack_->files() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  static Stack* stack_;
};

Stack* PredictionTest::stack_ = nullptr;

TEST_F(PredictionTest, APipelinesDataIsScoredBesideBaselines) {
  const CommandResult said =
      stack_->Tidemill({"predict", "small", "--input", stack_->files() + "/drift.csv", "--output",
                        stack_->files() + "/said.csv", "--json"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto summary = nlohmann::json::parse(said.out)["summary"];
  EXPECT_EQ(summary["rows"], 1200);
  EXPECT_EQ(summary["answered"], 1200);
  EXPECT_EQ(summary["labelled"], 1200);
  EXPECT_GT(summary["accuracy"], summary["baselines"]["constant"]);
  std::ifstream file(stack_->files() + "/said.csv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_EQ(line, "row,prediction,probability,problem");
  int num_rows = 0;
  while (std::getline(file, line)) {
    EXPECT_TRUE(line.starts_with(std::to_string(++num_rows) + ",")) << line;
  }
  EXPECT_EQ(num_rows, 1200);
}

TEST_F(PredictionTest, GoodRowsAreAnsweredAndBadOnesNamed) {
  const std::string input =
      Write("rows.csv", "c;b;a\n0.5;-0.1;0.2\n0.5;much;0.2\n0.5;0.1\n0.25;0.75;-1\n");
  const CommandResult said =
      stack_->Tidemill({"predict", "small", "--input", input, "--format", "jsonl"});
  EXPECT_EQ(said.exit_code, 8);
  EXPECT_THAT(said.err, AllOf(HasSubstr("the delimiter is ';'"), HasSubstr("answered 2 of 4 rows"),
                              HasSubstr("2 wrong, the first one: row 2"), HasSubstr("no labels")));
  EXPECT_THAT(said.out, AllOf(HasSubstr("{\"row\": 1, \"prediction\": \""),
                              HasSubstr("{\"row\":2,\"problem\":\""), HasSubstr("much"),
                              HasSubstr("{\"row\":3,\"problem\":\"it has 2 fields"),
                              HasSubstr("{\"row\": 4, ")));
}

TEST_F(PredictionTest, WhatIsNotKnownOfARowIsCountedAndCostsNoAnswer) {
  const std::string input = Write("open.csv",
                                  "time,a,b,c,class\n2026-01-01,0.5,-0.1,0.2,UP\n"
                                  ",0.5,0.1,0.2,open\n,0.25,0.75,-1,\n");
  const CommandResult said = stack_->Tidemill(
      {"predict", "small", "--input", input, "--json", "--output", stack_->files() + "/open.out"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  const auto summary = said.Json()["summary"];
  EXPECT_EQ(summary["answered"], 3);
  EXPECT_EQ(summary["labelled"], 1);
  EXPECT_EQ(summary["without_time"]["rows"], 2);
  EXPECT_EQ(summary["unread_labels"]["rows"], 1);
  EXPECT_THAT(summary["unread_labels"]["first"].get<std::string>(),
              AllOf(HasSubstr("row 2"), HasSubstr("'open'")));
  EXPECT_THAT(said.err, AllOf(HasSubstr("2 have no time and happen now"),
                              HasSubstr("1 have a label that cannot be read")));
}

TEST_F(PredictionTest, InputsThatCannotBeReadSayWhatToDo) {
  const auto predict = [&](const std::string& text) {
    return stack_->Tidemill({"predict", "small", "--input", Write("odd", text)});
  };
  const CommandResult lacking = predict("a,c\n1,2\n");
  EXPECT_EQ(lacking.exit_code, 3);
  EXPECT_THAT(lacking.err, AllOf(HasSubstr("lacks the column b"), HasSubstr("a, b, c")));
  const CommandResult twice = predict("a,b,b,c\n1,2,3,4\n");
  EXPECT_EQ(twice.exit_code, 3);
  EXPECT_THAT(twice.err, HasSubstr("names 'b' twice"));
  const CommandResult list = predict("[{\"a\": 1, \"b\": 2, \"c\": 3}]\n");
  EXPECT_EQ(list.exit_code, 3);
  EXPECT_THAT(list.err, HasSubstr("jq -c '.[]'"));
  const CommandResult empty = predict("");
  EXPECT_EQ(empty.exit_code, 3);
  EXPECT_THAT(empty.err, HasSubstr("is empty"));
  EXPECT_EQ(stack_->Tidemill({"predict", "none", "--input", Write("odd", "a\n")}).exit_code, 4);
  EXPECT_EQ(stack_->Tidemill({"predict", "small", "--input", "/none"}).exit_code, 4);
}

TEST_F(PredictionTest, StoredSamplesAreAnsweredByTheirKeys) {
  const CommandResult all = stack_->Tidemill({"predict", "small", "--dataset", "drift", "--json",
                                              "--output", stack_->files() + "/stored.csv"});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  const CommandResult file =
      stack_->Tidemill({"predict", "small", "--input", stack_->files() + "/drift.csv", "--json",
                        "--output", stack_->files() + "/read.csv"});
  ASSERT_EQ(file.exit_code, 0) << file.err;
  EXPECT_EQ(all.Json()["summary"], file.Json()["summary"]);
  std::ifstream stored(stack_->files() + "/stored.csv");
  std::ifstream read(stack_->files() + "/read.csv");
  std::string of_stored;
  std::string of_read;
  std::getline(stored, of_stored);
  std::getline(read, of_read);
  EXPECT_EQ(of_stored, "key,prediction,probability,problem");
  while (std::getline(read, of_read)) {
    ASSERT_TRUE(std::getline(stored, of_stored));
    EXPECT_EQ(of_stored.substr(of_stored.find(',')), of_read.substr(of_read.find(',')));
  }
  // 1,200 samples, one a minute.
  const CommandResult some =
      stack_->Tidemill({"predict", "small", "--dataset", "drift", "--from", "2023-11-14T23:13:20Z",
                        "--to", "2023-11-15T00:13:20Z", "--format", "jsonl"});
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_THAT(some.err, HasSubstr("answered 60 of 60 rows"));
  EXPECT_THAT(some.out, HasSubstr("{\"key\": "));
}

TEST_F(PredictionTest, WhatIsAskedInAWrongWayStartsNoStack) {
  const auto predict = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"predict", "small"});
    words.insert(words.end(), {"--state", stack_->files() + "/no_state"});
    return RunTidemill(words, {}, stack_->files());
  };
  EXPECT_THAT(predict({}).err, HasSubstr("either --input FILE or --dataset DATASET"));
  EXPECT_THAT(predict({"--input", "a", "--dataset", "b"}).err, HasSubstr("either --input"));
  const CommandResult time = predict({"--input", "a", "--from", "2020-01-01"});
  EXPECT_EQ(time.exit_code, 3);
  EXPECT_THAT(time.err, HasSubstr("--from and --to are about"));
  const CommandResult none = predict({"--input", "/none"});
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_THAT(none.err, HasSubstr("cannot read /none"));
  EXPECT_EQ(stack_->Tidemill({"predict", "small", "--dataset", "none"}).exit_code, 4);
}

TEST_F(PredictionTest, JsonLinesGiveTheAnswersOfCsv) {
  const auto predictions = [&](const std::string& name, const std::string& text) {
    const CommandResult said =
        stack_->Tidemill({"predict", "small", "--input", Write(name, text), "--probabilities"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    return said.out;
  };
  EXPECT_EQ(
      predictions("rows.csv", "a,b,c\n0.5,-0.25,1\n-1,2e-1,0\n"),
      predictions("rows.jsonl",
                  "{\"a\": 0.5, \"b\": -0.25, \"c\": 1}\n{\"c\": 0, \"b\": 0.2, \"a\": -1}\n"));
}

TEST(Trial, AnswersForItsPipelineOnlyWhenItIsPromoted) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  const std::string pipeline = WriteSmallPipeline(stack.files());
  const std::string input = stack.files() + "/one.csv";
  std::ofstream(input) << "a,b,c\n0.5,-0.1,0.2\n";
  const auto answers = [&] {
    return stack.Tidemill({"predict", "small", "--input", input, "--json"})
        .Json()["summary"]["model"]
        .dump();
  };
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", pipeline};
    words.insert(words.end(), more.begin(), more.end());
    return stack.Tidemill(words);
  };
  ASSERT_EQ(run({"--quiet", "--max-triggers", "2"}).exit_code, 0);
  const std::string before = answers();
  const CommandResult trial = run({"--set", "training.epochs=1", "--max-triggers", "1"});
  ASSERT_EQ(trial.exit_code, 0) << trial.err;
  EXPECT_THAT(trial.out, HasSubstr("this run is a trial: `tidemill predict small`"));
  EXPECT_EQ(answers(), before);
  EXPECT_TRUE(stack.Tidemill({"runs", "show", "latest", "--json"}).Json()["trial"]);
  const CommandResult exported = stack.Tidemill({"models", "show", "small", "--json"});
  EXPECT_EQ(exported.Json()["model"].dump(), before) << exported.out;
  const CommandResult promoted =
      run({"--set", "training.epochs=1", "--max-triggers", "1", "--promote"});
  ASSERT_EQ(promoted.exit_code, 0) << promoted.err;
  EXPECT_EQ(promoted.out.find("this run is a trial"), std::string::npos);
  EXPECT_NE(answers(), before);
  const CommandResult useless = run({"--promote"});
  EXPECT_EQ(useless.exit_code, 2);
  EXPECT_THAT(useless.err, HasSubstr("--promote is for --set"));
}

}  // namespace
}  // namespace tidemill::tests
