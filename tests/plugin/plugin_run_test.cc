// Runs whose trigger policy is a user's, on real stacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "fmt/format.h"

#include "base/files.h"
#include "base/testing/tree.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kMistakes[] =
    "{type: plugin, use: 'mistakes.py:Mistakes', with: {at: 0.9, samples: 200}}";

// The small pipeline with this trigger, and the plug-ins beside it.
std::string WritePipeline(const Stack& stack, const std::string& trigger) {
  for (const char* const name : {"mistakes.py", "faulty.py"}) {
    std::filesystem::copy_file(testing::InTree(std::string("tests/plugin/plugins/") + name),
                               stack.files() + "/" + name,
                               std::filesystem::copy_options::overwrite_existing);
  }
  return WriteSmallPipeline(stack.files(), trigger);
}

CommandResult RunToItsEnd(const Stack& stack, const std::string& trigger,
                          const std::map<std::string, std::string>& environment = {}) {
  EXPECT_EQ(stack.Tidemill({"up"}, environment).exit_code, 0) << stack.Logs();
  return stack.Tidemill({"run", WritePipeline(stack, trigger), "--json"}, environment);
}

TEST(PluginRun, IsTheSameWhateverIsKilledAndWhenTheFileIsGone) {
  const Stack undisturbed, killed;
  const CommandResult expected = RunToItsEnd(undisturbed, kMistakes);
  ASSERT_EQ(expected.exit_code, 0) << expected.err << undisturbed.Logs();
  EXPECT_GT(expected.Json().at("triggers").size(), 1U);

  const std::string marks = killed.files() + "/marks";
  std::filesystem::create_directory(marks);
  const std::string points =
      "supervisor.after_decision=kill;supervisor.after_unfired_decisions=kill;"
      "supervisor.after_train=kill;supervisor.before_select=kill";
  const std::map<std::string, std::string> environment = {{"TIDEMILL_FAILPOINTS", points},
                                                          {"TIDEMILL_FAILPOINTS_ONCE", marks}};
  ASSERT_EQ(killed.Tidemill({"up"}, environment).exit_code, 0) << killed.Logs();
  const CommandResult begun =
      killed.Tidemill({"run", WritePipeline(killed, kMistakes), "--detach", "--json"}, environment);
  ASSERT_EQ(begun.exit_code, 0) << begun.err << killed.Logs();
  std::filesystem::remove(killed.files() + "/mistakes.py");
  const CommandResult result =
      killed.Tidemill({"watch", begun.Json().at("run").dump(), "--json"}, environment);
  EXPECT_EQ(result.exit_code, 0) << result.err << killed.Logs();
  EXPECT_TRUE(std::filesystem::exists(marks + "/supervisor.after_decision"));
  EXPECT_TRUE(std::filesystem::exists(marks + "/supervisor.after_train"));
  EXPECT_EQ(Fingerprint(result.Json()), Fingerprint(expected.Json()));
}

TEST(PluginRun, TellsWhatThePluginSaysAndRunsWith) {
  const Stack stack;
  const CommandResult result = RunToItsEnd(stack, kMistakes);
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const std::string run = result.Json().at("run").dump();
  EXPECT_THAT(stack.Tidemill({"why", run + "/2"}).out, HasSubstr("the accuracy"));
  EXPECT_THAT(stack.Tidemill({"runs", "show", run}).out, Not(HasSubstr("ZnJvbSB0aWRlbWls")));
}

TEST(PluginRun, ThatCannotDecideFailsWithTheTracebackAndTheNextRunWorks) {
  const Stack stack;
  const std::string faulty = "{type: plugin, use: 'faulty.py:Faulty', with: {how: throw}";
  const CommandResult failed = RunToItsEnd(stack, faulty + "}");
  EXPECT_EQ(failed.exit_code, 1) << failed.err << stack.Logs();
  EXPECT_THAT(failed.out, HasSubstr("thrown on purpose"));
  EXPECT_THAT(failed.out, HasSubstr("faulty.py"));

  const CommandResult skipped = RunToItsEnd(stack, faulty + ", on_fault: fire}");
  EXPECT_EQ(skipped.exit_code, 0) << skipped.err << stack.Logs();
  EXPECT_GE(skipped.Json().at("triggers").size(), 1U);
  EXPECT_THAT(skipped.err, HasSubstr("the trigger policy could not decide"));
}

TEST(PluginRun, IsRefusedWithLineAndColumnWhereASettingIsWrong) {
  const Stack stack;
  const std::string pipeline =
      WritePipeline(stack, "{type: plugin, use: 'mistakes.py:Mistakes', with: {att: 0.9}}");
  const CommandResult checked = stack.Tidemill({"check", pipeline});
  EXPECT_EQ(checked.exit_code, 3);
  EXPECT_THAT(checked.err, HasSubstr("the plug-in has no setting 'att'"));
  EXPECT_THAT(checked.err, HasSubstr("did you mean 'at'?"));
}

}  // namespace
}  // namespace tidemill::tests
