// A pipeline whose dataset gets another spec, on a real stack.
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class DatasetVersionRun : public ::testing::Test {
 protected:
  DatasetVersionRun() : path_(WriteSmallPipeline(stack_.files())) {
    std::ifstream file(path_);
    std::ostringstream text;
    text << file.rdbuf();
    text_ = text.str();
  }

  // Writes the pipeline with a condition on the records.
  void Where(const std::string& condition) const {
    std::string text = text_;
    const std::string line = "    settle: 0s\n";
    text.insert(text.find(line), "    where: " + condition + "\n");
    std::ofstream(path_) << text;
  }

  CommandResult Run(const std::vector<std::string>& flags = {}) {
    std::vector<std::string> words = {"run", path_};
    words.insert(words.end(), flags.begin(), flags.end());
    return stack_.Tidemill(words);
  }

  int64_t NumSamples(const std::string& dataset) {
    const CommandResult shown = stack_.Tidemill({"datasets", "show", dataset, "--json"});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    return shown.exit_code == 0 ? nlohmann::json::parse(shown.out)["samples"].get<int64_t>() : -1;
  }

  Stack stack_;
  const std::string path_;
  std::string text_;
};

TEST_F(DatasetVersionRun, IsRefusedThenKeptBesideTheOldOneThenReplaced) {
  ASSERT_EQ(stack_.Tidemill({"up"}).exit_code, 0);
  ASSERT_EQ(Run({"--quiet"}).exit_code, 0);
  Where("c > 0.25");
  const CommandResult checked = stack_.Tidemill({"check", path_});
  EXPECT_THAT(checked.err, AllOf(HasSubstr("where is now"), HasSubstr("--new-dataset-version")));
  const CommandResult refused = Run();
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("where is now"), HasSubstr("--replace-dataset")));

  const CommandResult versioned = Run({"--new-dataset-version"});
  EXPECT_EQ(versioned.exit_code, 0) << versioned.err;
  EXPECT_THAT(versioned.err, HasSubstr("dataset drift gets a new version: where is now"));
  EXPECT_EQ(NumSamples("drift@1"), 1200);
  const int64_t num_some = NumSamples("drift");
  EXPECT_GT(num_some, 800);
  EXPECT_LT(num_some, 1000);
  EXPECT_THAT(stack_.Tidemill({"datasets", "list"}).out,
              AllOf(HasSubstr("drift "), HasSubstr("drift@1 ")));

  Where("c > 0.5");
  const CommandResult replaced = Run({"--replace-dataset"});
  EXPECT_EQ(replaced.exit_code, 0) << replaced.err;
  EXPECT_LT(NumSamples("drift"), num_some);
  EXPECT_THAT(stack_.Tidemill({"datasets", "list"}).out,
              AllOf(HasSubstr("drift@1 "), Not(HasSubstr("drift@2"))));
  // With the spec that the dataset has, the flags change nothing.
  const CommandResult again = Run({"--replace-dataset"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, Not(HasSubstr("new version")));
}

TEST_F(DatasetVersionRun, FlagsThatExcludeEachOtherAreRefused) {
  EXPECT_EQ(Run({"--new-dataset-version", "--replace-dataset"}).exit_code, 2);
  EXPECT_EQ(Run({"--yes"}).exit_code, 2);
}

}  // namespace
}  // namespace tidemill::tests
