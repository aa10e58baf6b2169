// Kills each service at each stage, once, and compares the run with an undisturbed one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

// The undisturbed run, made once.
const std::vector<std::string>& Undisturbed() {
  static const std::vector<std::string> fingerprint = [] {
    const Stack stack;
    const CommandResult result =
        stack.Tidemill({"run", WriteSmallPipeline(stack.files()), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
    return Fingerprint(result.Json());
  }();
  return fingerprint;
}

class Failpoint : public ::testing::TestWithParam<const char*> {};

TEST_P(Failpoint, KillingTheServiceThereChangesNoTriggerKeyOrWeight) {
  ASSERT_EQ(Undisturbed().front(), "succeeded");
  const Stack stack;
  const std::string marks = stack.files() + "/marks";
  std::filesystem::create_directory(marks);
  const std::string point = GetParam();
  const CommandResult result = stack.Tidemill(
      {"run", WriteSmallPipeline(stack.files()), "--json"},
      {{"TIDEMILL_FAILPOINTS", point + "=kill"}, {"TIDEMILL_FAILPOINTS_ONCE", marks}});
  EXPECT_TRUE(std::filesystem::exists(marks + "/" + point)) << "nothing passed " << point;
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  EXPECT_EQ(Fingerprint(result.Json()), Undisturbed());
}

// Each service at each of its stages.
INSTANTIATE_TEST_SUITE_P(
    EachStage, Failpoint,
    ::testing::Values(
        "storage.before_command", "storage.after_command", "storage.send_list",
        "storage.send_block", "storage.ingest_before_copy", "storage.ingest_after_copy",
        "storage.ingest_before_commit", "storage.ingest_after_commit", "selector.before_seal",
        "selector.after_seal", "selector.before_commit", "selector.after_commit",
        "trainer_server.before_fit", "trainer_server.after_fit", "trainer_server.mid_training",
        "trainer_server.before_checkpoint_rename", "trainer_server.after_checkpoint",
        "trainer_server.before_artefact", "trainer_server.after_artefact",
        "trainer_server.before_store", "trainer_server.after_store", "model_store.before_rename",
        "model_store.before_commit", "model_store.after_commit", "evaluate.before_window",
        "evaluator.before_window", "evaluator.after_window", "evaluator.before_commit",
        "evaluator.after_commit", "supervisor.after_decision", "supervisor.before_select",
        "supervisor.after_select", "supervisor.after_fit", "supervisor.mid_train",
        "supervisor.after_train", "supervisor.after_store", "supervisor.before_evaluate",
        "supervisor.after_evaluate", "supervisor.after_retire"),
    [](const auto& tested) {
      std::string name = tested.param;
      for (char& c : name) {
        if (c == '.') c = '_';
      }
      return name;
    });

}  // namespace
}  // namespace tidemill::tests
