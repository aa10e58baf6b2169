// What users see of selections, through real services.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fmt/format.h"

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// The small pipeline with another selection.
std::string PipelineWith(const Stack& stack, const std::string& selection) {
  const std::string path = WriteSmallPipeline(stack.files());
  std::ifstream in(path);
  std::string text(std::istreambuf_iterator<char>(in), {});
  const size_t from = text.find("selection: ");
  text.replace(from, text.find('\n', from) - from, "selection: " + selection);
  std::ofstream(path) << text;
  return path;
}

class Selections : public ::testing::Test {
 protected:
  // Runs the pipeline on a stack that stays, and gives what `runs show --json` says.
  nlohmann::json Run(const std::string& selection) {
    EXPECT_EQ(stack_.Tidemill({"up"}).exit_code, 0) << stack_.Logs();
    const CommandResult result =
        stack_.Tidemill({"run", PipelineWith(stack_, selection), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err << stack_.Logs();
    run_ = result.Json().at("run").dump();
    return stack_.Tidemill({"runs", "show", run_, "--json"}).Json();
  }

  const Stack stack_;
  std::string run_;
};

int64_t SumOf(const nlohmann::json& entries, const char* member) {
  int64_t sum = 0;
  for (const auto& entry : entries) sum += entry.at(member).get<int64_t>();
  return sum;
}

TEST_F(Selections, AreShownAndCompared) {
  const nlohmann::json run = Run("{type: balanced, samples: 100, over: all}");
  const nlohmann::json& sets = run.at("selections");
  ASSERT_THAT(sets, SizeIs(4));
  for (size_t i = 0; i < 4; ++i) {
    const nlohmann::json& set = sets[i];
    EXPECT_EQ(set.at("candidates"), 250 * (i + 1));
    EXPECT_EQ(set.at("samples"), 100);
    EXPECT_EQ(set.at("policy"), "balanced");
    EXPECT_EQ(set.at("previous"), i == 0 ? 0 : 100);
    ASSERT_THAT(set.at("classes"), SizeIs(2));
    EXPECT_EQ(set["classes"][0].at("chosen"), 50);
    EXPECT_EQ(set["classes"][1].at("chosen"), 50);
    EXPECT_EQ(SumOf(set["classes"], "candidates"), set["candidates"]);
    EXPECT_EQ(SumOf(set.at("times"), "candidates"), set["candidates"]);
    EXPECT_EQ(SumOf(set["times"], "chosen"), 100);
  }
  EXPECT_THAT(stack_.Tidemill({"runs", "show", run_}).out,
              AllOf(HasSubstr("CANDIDATES"), HasSubstr("balanced"), HasSubstr("1,000")));
  EXPECT_THAT(stack_.Tidemill({"runs", "show", run_ + "/3"}).out,
              AllOf(HasSubstr("100 of 750 candidates"), HasSubstr("UP"), HasSubstr("DOWN")));
  const nlohmann::json shown = stack_.Tidemill({"runs", "show", run_ + "/3", "--json"}).Json();
  EXPECT_EQ(shown.at("shared"), sets[2].at("shared"));

  const CommandResult diff = stack_.Tidemill({"runs", "diff", run_ + "/3", run_ + "/4", "--json"});
  ASSERT_EQ(diff.exit_code, 0) << diff.err;
  const nlohmann::json differs = diff.Json();
  const int64_t both = sets[3].at("shared").get<int64_t>();
  EXPECT_EQ(differs.at("both"), both);
  EXPECT_EQ(differs.at("only_first"), 100 - both);
  EXPECT_EQ(differs.at("only_second"), 100 - both);
  EXPECT_EQ(SumOf(differs.at("classes"), "both"), both);
  EXPECT_EQ(SumOf(differs.at("times"), "only_second"), 100 - both);
  EXPECT_THAT(stack_.Tidemill({"runs", "diff", run_ + "/3", run_ + "/4"}).out,
              AllOf(HasSubstr("IN BOTH"), HasSubstr("UP")));

  // The pipeline keeps three sets.
  const CommandResult removed = stack_.Tidemill({"runs", "diff", run_ + "/1", run_ + "/4"});
  EXPECT_EQ(removed.exit_code, 4);
  EXPECT_THAT(removed.err, HasSubstr("removed by the run's retention"));
  EXPECT_EQ(stack_.Tidemill({"runs", "diff", run_ + "/9", run_ + "/4"}).exit_code, 4);
  EXPECT_EQ(stack_.Tidemill({"runs", "diff", run_, run_ + "/4"}).exit_code, 3);
  EXPECT_EQ(stack_.Tidemill({"runs", "show", run_ + "/x"}).exit_code, 3);
}

TEST_F(Selections, LookAtWhatTheNewestModelSays) {
  const nlohmann::json run = Run("{type: k_center, samples: 50}");
  const nlohmann::json& sets = run.at("selections");
  ASSERT_THAT(sets, SizeIs(4));
  EXPECT_EQ(sets[0].at("samples"), 250);
  EXPECT_THAT(sets[0].at("remarks").dump(), HasSubstr("no model yet"));
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(sets[i].at("samples"), 50) << i;
    EXPECT_EQ(sets[i].at("candidates"), 250) << i;
    EXPECT_EQ(sets[i].at("fresh"), 50) << i;
    EXPECT_EQ(sets[i].at("left_out"), 0) << i;
    EXPECT_EQ(SumOf(sets[i].at("classes"), "chosen"), 50) << i;
  }
}

TEST_F(Selections, LookAtNumbersInRecords) {
  const nlohmann::json run = Run("{type: importance, column: a, samples: 60, over: all}");
  const nlohmann::json& sets = run.at("selections");
  ASSERT_THAT(sets, SizeIs(4));
  for (const nlohmann::json& set : sets) {
    EXPECT_GT(set.at("samples"), 0);
    EXPECT_LE(set.at("samples"), 60);
    EXPECT_LE(set.at("effective_size"), set.at("samples"));
  }
}

}  // namespace
}  // namespace tidemill::tests
