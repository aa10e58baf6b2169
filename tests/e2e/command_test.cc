// The `tidemill` command, as its users meet it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Command, ARunEndsWithOneJsonObjectThatHoldsEverything) {
  const Stack stack;
  const CommandResult result = stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const nlohmann::json run = result.Json();
  EXPECT_EQ(run.at("state"), "succeeded");
  ASSERT_EQ(run.at("triggers").size(), 4);           // 1,200 samples, one every 250.
  EXPECT_EQ(run["triggers"][0].at("samples"), 200);  // 80 % of 250.
  EXPECT_EQ(run.at("models").size(), 4);
  // 4 models on 5 windows by 2 measures.
  EXPECT_EQ(run.at("evaluations").size(), 40);
  EXPECT_EQ(run.at("composite").at("active").size(), 8);
  EXPECT_EQ(run.at("composite").at("trained").size(), 8);
  int64_t samples = 0;
  for (const auto& value : run["composite"]["active"]) {
    if (value.at("measure") == "accuracy") samples += value.at("samples").get<int64_t>();
  }
  EXPECT_EQ(samples, 950);  // All but the first window.
}

TEST(Command, AStackStaysUpBetweenCommandsAndGoesDown) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  EXPECT_EQ(stack.Tidemill({"status"}).exit_code, 0);
  const CommandResult run = stack.Tidemill({"run", WriteSmallPipeline(stack.files())});
  EXPECT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  EXPECT_THAT(run.out, AllOf(HasSubstr("accuracy on drift"), HasSubstr("active")));
  EXPECT_THAT(stack.Tidemill({"runs", "list"}).out, HasSubstr("succeeded"));
  EXPECT_THAT(stack.Tidemill({"pipelines", "list"}).out, HasSubstr("small"));
  EXPECT_THAT(stack.Tidemill({"datasets", "show", "drift"}).out, HasSubstr("1200"));
  EXPECT_EQ(stack.Tidemill({"models", "list", "--json"}).Json().size(), 4);
  EXPECT_EQ(stack.Tidemill({"runs", "show", "9999"}).exit_code, 4);
  EXPECT_EQ(stack.Tidemill({"down"}).exit_code, 0);
  EXPECT_THAT(stack.Processes(), ::testing::IsEmpty());
}

TEST(Command, WhatReadsStartsTheStackThatARunTookDownAndTakesItDownAgain) {
  const Stack stack;
  EXPECT_EQ(stack.Tidemill({"runs", "list"}).exit_code, 5);  // Nothing has ever run here.
  const CommandResult run = stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  EXPECT_THAT(stack.Processes(), IsEmpty());
  const std::string id = run.Json().at("run").dump();
  const std::vector<std::vector<std::string>> commands = {
      {"runs", "list"},
      {"report", id, "--output", stack.files() + "/report.html"},
      {"why", id},
      {"compare", id, id},
      {"datasets", "quarantine", "drift"}};
  for (const auto& words : commands) {
    const CommandResult result = stack.Tidemill(words);
    EXPECT_EQ(result.exit_code, 0) << words.front() << result.err;
    EXPECT_EQ(result.err, "starting the stack in " + stack.state() + "\n") << words.front();
    EXPECT_THAT(stack.Processes(), IsEmpty()) << words.front();
  }
}

TEST(Command, SeveralThatReadAtOnceShareAStackThatTheLastOneTakesDown) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "-q"}).exit_code, 0);
  std::list<RunningCommand> commands;
  for (int i = 0; i < 4; ++i) {
    commands.emplace_back(std::vector<std::string>{"runs", "list", "--state", stack.state()},
                          std::map<std::string, std::string>(), stack.files());
  }
  for (RunningCommand& command : commands) {
    const CommandResult answer = command.Result();
    EXPECT_EQ(answer.exit_code, 0) << answer.err << stack.Logs();
    EXPECT_THAT(answer.out, HasSubstr("succeeded"));
  }
  EXPECT_THAT(stack.Processes(), IsEmpty());
}

TEST(Command, AStackThatIsToStayUpOutlivesWhatReads) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "-q"}).exit_code, 0);
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  EXPECT_EQ(stack.Tidemill({"runs", "list"}).err, "");
  EXPECT_EQ(stack.Tidemill({"status"}).exit_code, 0);
}

TEST(Command, TheResultAndMessagesKeepTheirOrderInOneFile) {
  const Stack stack;
  const std::string both = stack.files() + "/both";
  const std::string command = fmt::format("{}/tidemill run {} --state {} >{} 2>&1", ProgramFolder(),
                                          WriteSmallPipeline(stack.files()), stack.state(), both);
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream in(both);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const size_t result = text.find("\nTRIGGER ");
  const size_t last = text.find("The models in use reached");
  const size_t report = text.find("\nreport: ");
  ASSERT_NE(report, std::string::npos) << text;
  EXPECT_LT(text.find("of small: succeeded\n"), result) << text;
  EXPECT_LT(result, last) << text;
  EXPECT_LT(last, report) << text;
}

TEST(Command, ADryRunDeletesNothing) {
  const Stack stack;
  const std::string pipeline = WriteSmallPipeline(stack.files());
  ASSERT_EQ(stack.Tidemill({"run", pipeline, "--max-triggers", "1", "-q"}).exit_code, 0);
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  const auto dry = [&](std::vector<std::string> words) {
    words.push_back("--dry-run");
    const CommandResult result = stack.Tidemill(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const std::string id = stack.Tidemill({"runs", "list", "--json"}).Json()[0].at("run").dump();
  EXPECT_THAT(dry({"runs", "delete", id}), HasSubstr("of small (succeeded) with its 1 models"));
  EXPECT_THAT(dry({"pipelines", "delete", "small"}), HasSubstr("with its 1 runs"));
  EXPECT_THAT(dry({"datasets", "delete", "drift"}), HasSubstr("1,200 samples of 1 files"));
  EXPECT_THAT(dry({"datasets", "delete", "drift", "--where", "@key > 0"}),
              HasSubstr("would delete 1,200 samples"));
  const CommandResult unknown =
      stack.Tidemill({"datasets", "delete", "drift", "--keys", "1,2", "--dry-run"});
  EXPECT_EQ(unknown.exit_code, 8);
  EXPECT_THAT(unknown.out, HasSubstr("2 do not exist"));
  const std::string database = stack.Tidemill({"status", "--json"}).Json().at("database_folder");
  EXPECT_THAT(dry({"down", "--purge"}), AllOf(HasSubstr(stack.state()), HasSubstr("(postgres)"),
                                              HasSubstr("(tidemill-storage)")));
  if (geteuid() == 0) {
    EXPECT_THAT(dry({"down", "--purge"}), HasSubstr(database));
  }
  EXPECT_EQ(stack.Tidemill({"down", "--dry-run"}).exit_code, 3);  // It deletes nothing anyway.
  EXPECT_EQ(stack.Tidemill({"status"}).exit_code, 0);
  EXPECT_EQ(stack.Tidemill({"runs", "show", id, "--json"}).Json().at("models").size(), 1);
}

TEST(Command, ADeletionByAConditionReadsNumbersAsTheDatasetDoesAndShowsExamples) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  std::ofstream rows(stack.files() + "/a.csv");
  rows << "day;amount;y\n";
  for (int i = 1; i <= 28; ++i) rows << fmt::format("2024-02-{:02};{},50;a\n", i, i);
  rows << "2024-03-01;2500,00;a\n2024-03-02;NA;a\n2024-03-03;12,5 kg;a\n";
  rows.close();
  std::ofstream(stack.files() + "/d.yaml") << fmt::format(
      "datasets:\n  d: {{path: {}, files: a.csv, format: {{type: csv, delimiter: \";\", decimal: "
      "\",\"}}, event_time: {{column: day}}, label: {{column: y, classes: [a]}}}}\n",
      stack.files());
  ASSERT_EQ(stack.Tidemill({"datasets", "register", stack.files() + "/d.yaml"}).exit_code, 0);
  ASSERT_EQ(stack.Tidemill({"datasets", "sync", "d"}).exit_code, 0);
  const CommandResult listed =
      stack.Tidemill({"datasets", "records", "d", "--where", "amount > 2400", "--json"});
  const nlohmann::json found = nlohmann::json::parse(listed.out);  // It has a line for each record.
  EXPECT_EQ(found.at("records").size(), 1);
  EXPECT_EQ(found.at("undecided"), 2);
  EXPECT_EQ(found.at("missing").at("amount"), 1);
  EXPECT_EQ(found.at("unfit").at("amount").at("first"), "amount is '12,5 kg', not a number");
  const std::vector<std::string> deletion = {"datasets", "delete", "d", "--where", "amount > 2400"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = deletion;
    words.insert(words.end(), more.begin(), more.end());
    return stack.Tidemill(words);
  };
  EXPECT_THAT(with({"--dry-run"}).out,
              AllOf(HasSubstr("in 1 of 31 samples amount cannot be compared"),
                    HasSubstr("the condition matches 1 of 31 samples (3.2 %)"),
                    HasSubstr("2500,00"), HasSubstr("1,50"), HasSubstr("would delete 1 samples")));
  const nlohmann::json planned = with({"--dry-run", "--json"}).Json();
  EXPECT_EQ(planned.at("would_delete"), 1);
  EXPECT_EQ(planned.at("matching")[0].at("fields").at("amount"), "2500,00");
  EXPECT_EQ(planned.at("not_matching").size(), 3);
  const CommandResult done = with({"--yes"});
  EXPECT_THAT(done.out, HasSubstr("1 samples deleted"));
  EXPECT_THAT(done.err, AllOf(HasSubstr("Records that match:"), HasSubstr("do not match:")));
  const CommandResult refused = stack.Tidemill({"datasets", "delete", "d", "--where", "y = b"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("a text is written in single quotes: 'b'"));
}

TEST(Command, ABadPipelineIsRefusedWithItsPlaceAndLeavesNothingBehind) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::string pipeline = WriteSmallPipeline(stack.files());
  std::ifstream in(pipeline);
  std::string text(std::istreambuf_iterator<char>(in), {});
  text.replace(text.find("batch_size"), 10, "batchsize ");
  std::ofstream(pipeline) << text;
  const CommandResult result = stack.Tidemill({"run", pipeline});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, AllOf(HasSubstr("pipeline.yaml:"), HasSubstr("batch_size")));
  EXPECT_EQ(stack.Tidemill({"pipelines", "list", "--json"}).Json(), nlohmann::json::array());
  EXPECT_EQ(stack.Tidemill({"datasets", "list", "--json"}).Json(), nlohmann::json::array());
}

TEST(Command, UsageErrorsExitWithTwo) {
  const Stack stack;
  const CommandResult misspelt = stack.Tidemill({"rnu", "x"});
  EXPECT_EQ(misspelt.exit_code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("'tidemill rnu'; did you mean 'run'?"));
  const CommandResult option = stack.Tidemill({"runs", "list", "--onyl", "failed"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_THAT(option.err, HasSubstr("'--onyl'; did you mean '--only'?"));
  EXPECT_EQ(stack.Tidemill({"run", "pipeline.yaml", "--max-triggers", "-1"}).exit_code, 2);
  EXPECT_EQ(stack.Tidemill({"check", "/nowhere/pipeline.yaml"}).exit_code, 4);
}

TEST(Command, ExplainShowsHowAGraphRunsAndWhatItCostsWithoutAStack) {
  const Stack stack;
  const std::string pipeline = WriteSmallPipeline(stack.files());
  const CommandResult text = stack.Tidemill({"explain", pipeline, "--plan"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("1 parse_csv"), HasSubstr("The graph runs as it is written."),
                    HasSubstr("MEASURED"), HasSubstr("as it runs")));
  const CommandResult json = stack.Tidemill({"explain", pipeline, "--plan", "--json"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  EXPECT_EQ(json.Json().at("dataset"), "drift");
  EXPECT_EQ(json.Json().at("as_it_runs").size(), 4);
  EXPECT_GT(json.Json().at("cost").at("as_it_runs").at("measured_microseconds"), 0);
  EXPECT_THAT(stack.Processes(), IsEmpty());
  EXPECT_EQ(stack.Tidemill({"explain", "--plan"}).exit_code, 2);
  EXPECT_EQ(stack.Tidemill({"explain", stack.files() + "/absent.yaml", "--plan"}).exit_code, 4);
  const CommandResult wrong =
      stack.Tidemill({"explain", pipeline, "--plan", "--set", "preprocess.dataset=other"});
  EXPECT_EQ(wrong.exit_code, 3) << wrong.out << wrong.err;
}

TEST(Command, DeletingAPipelineRemovesRunsAndModelsButNotDatasets) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const CommandResult run =
      stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--max-triggers", "1", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err << stack.Logs();
  EXPECT_EQ(run.Json().at("triggers").size(), 1);
  const CommandResult refused = stack.Tidemill({"pipelines", "delete", "small"});
  EXPECT_EQ(refused.exit_code, 7);
  EXPECT_THAT(refused.err, HasSubstr("`tidemill models use small --none`"));
  EXPECT_EQ(stack.Tidemill({"pipelines", "delete", "small", "--even-in-use"}).exit_code, 0)
      << stack.Logs();
  EXPECT_EQ(stack.Tidemill({"models", "list", "--json"}).Json(), nlohmann::json::array());
  EXPECT_EQ(stack.Tidemill({"runs", "list", "--json"}).Json(), nlohmann::json::array());
  EXPECT_EQ(stack.Tidemill({"datasets", "show", "drift"}).exit_code, 0);
  EXPECT_EQ(stack.Tidemill({"datasets", "delete", "drift"}).exit_code, 0);
  EXPECT_EQ(stack.Tidemill({"datasets", "show", "drift"}).exit_code, 4);
}

}  // namespace
}  // namespace tidemill::tests
