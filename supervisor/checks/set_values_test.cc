#include "supervisor/checks/set_values.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "supervisor/testing/testdata.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> TextsOf(const std::string& pipeline,
                                 std::vector<config::Override> overrides) {
  std::vector<std::string> texts;
  for (const SetValue& set :
       SetValuesOf({.text = pipeline, .file_name = "p.yaml", .overrides = std::move(overrides)})) {
    texts.push_back(set.Text());
  }
  return texts;
}

TEST(SetValues, SayWhatTheyReplace) {
  const auto pipeline = files::Read(testing::kTestdata / "sound.yaml", 1 << 20);
  ASSERT_TRUE(pipeline.ok());
  EXPECT_THAT(TextsOf(*pipeline, {{"training.optimizer.lr", "1e-2"},
                                  {"training.epochs", "3"},
                                  {"training.optimizer", "sgd"},
                                  {"evaluation.0.measures.0", "f1"},
                                  {"training.optimizer.epsilon", "1e-6"},
                                  {"live.late", "window"}}),
              ElementsAre("training.optimizer.lr = 1e-2 (was 1e-3)", "training.epochs = 3 (was 2)",
                          "training.optimizer = sgd (was {type: adam, lr: 1e-3})",
                          "evaluation.0.measures.0 = f1 (was accuracy)",
                          "training.optimizer.epsilon = 1e-6 (was 1e-08, the default)",
                          "live.late = window (not set before)"));
}

TEST(SetValues, KnowNoDefaultsOfAPipelineThatIsOnlyValidWithThem) {
  EXPECT_THAT(TextsOf("name: weather\n", {{"name", "rain"}, {"training.epochs", "3"}}),
              ElementsAre("name = rain (was weather)", "training.epochs = 3 (not set before)"));
}

}  // namespace
}  // namespace tidemill::supervisor
