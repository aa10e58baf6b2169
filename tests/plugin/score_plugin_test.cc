// Scores of users, in Python and in C++: what they are shown, and what becomes of one that does
// wrong.
#include <signal.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "plugin/process/fault.h"
#include "tests/plugin/test_plugins.h"
#include "trainer_server/downsampling/spec/plugin_score.h"
#include "trainer_server/downsampling/spec/plugin_scorer.h"
#include "trainer_server/trials/score_promises.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::SubmittedPart;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

PluginScore Submitted(const std::string& use, const std::string& with, const char* more = "") {
  const auto spec = SubmittedPart<models::DownsamplingSpec>(
      fmt::format("{{type: plugin, use: '{}', with: {}, fraction: 0.5{}}}", use, with, more));
  EXPECT_THAT(spec, IsOk());
  return spec.ok() ? *spec->As<PluginScore>() : PluginScore();
}

// Samples with the keys from `first` on, and what WrongScore looks at.
batch::Batch Samples(int64_t first, std::vector<float> losses) {
  std::vector<int64_t> keys, times;
  std::vector<double> ages;
  for (size_t i = 0; i < losses.size(); ++i) {
    keys.push_back(first + static_cast<int64_t>(i));
    times.push_back(1'000'000);
    ages.push_back(1);
  }
  batch::Batch block(std::ssize(losses));
  const std::vector<float> probabilities(2 * losses.size(), 0.5F);
  EXPECT_THAT(block.Set(batch::MakeColumn<int64_t>("key", keys)), IsOk());
  EXPECT_THAT(block.Set(batch::MakeColumn<float>("losses", losses)), IsOk());
  EXPECT_THAT(block.Set(batch::MakeColumn<float>("probabilities", probabilities, {2})), IsOk());
  EXPECT_THAT(block.Set(batch::MakeColumn<int64_t>("labels", keys)), IsOk());
  EXPECT_THAT(block.Set(batch::MakeColumn<int64_t>("event_times", times)), IsOk());
  EXPECT_THAT(block.Set(batch::MakeColumn<double>("ages", ages)), IsOk());
  return block;
}

// By the language of the file.
class PluginScores : public ::testing::TestWithParam<std::string> {
 protected:
  std::string Use(const std::string& name) const { return GetParam() + ":" + name; }

  // Scores a block that goes well, and one that does not.
  absl::Status Fault(const std::string& how, const char* more = "") {
    PluginScorer scorer(Submitted(Use("WrongScore"), "{how: " + how + "}", more));
    EXPECT_THAT(scorer.Score(Samples(1, {1, 2})), IsOk());
    const absl::Status fault = scorer.Score(Samples(13, {1, 2})).status();
    EXPECT_THAT(scorer.Score(Samples(1, {1, 2})), IsOk()) << "the next block has another process";
    return fault;
  }
};

INSTANTIATE_TEST_SUITE_P(Plugins, PluginScores, ::testing::Values("scores.py", "libscores.so"),
                         [](const auto& tested) {
                           return std::string(tested.param == "scores.py" ? "Python" : "Cpp");
                         });

TEST_P(PluginScores, SayAtSubmissionWhatTheyLookAtAndKeep) {
  const PluginScorer losses(Submitted(Use("Losses"), "{kept: least}"));
  EXPECT_TRUE(losses.looks_at().losses);
  EXPECT_FALSE(losses.looks_at().probabilities || losses.looks_at().any_times());
  EXPECT_EQ(losses.keep(), KeepBy::kLeast);
  EXPECT_EQ(losses.pid(), 0) << "no process runs before there is a block";
  const models::DownsamplingSpec spec = Submitted(Use("Losses"), "{}");
  EXPECT_THAT(spec->RunsWith(), HasSubstr(Use("Losses") + " 1.0 ("));
}

TEST_P(PluginScores, AreTheNumbersOfThePlugin) {
  PluginScorer scorer(Submitted(Use("Losses"), "{}"));
  const auto scores = scorer.Score(Samples(1, {0.1F, 3, 0}));
  ASSERT_THAT(scores, IsOk());
  EXPECT_THAT(*scores, ElementsAre(0.1F, 3, 0));
}

TEST_P(PluginScores, AreTheSameWhenSomebodyKillsTheProcess) {
  PluginScorer scorer(Submitted(Use("Losses"), "{}"));
  ASSERT_THAT(scorer.Score(Samples(1, {1})), IsOk());
  const pid_t before = scorer.pid();
  ASSERT_EQ(kill(before, SIGKILL), 0);
  // The inner process may answer until it learns of the outer one's end.
  for (int i = 0; i < 100'000 && scorer.pid() == before; ++i) {
    const auto scores = scorer.Score(Samples(1, {1, 2}));
    ASSERT_THAT(scores, IsOk());
    ASSERT_THAT(*scores, ElementsAre(1, 2));
  }
  EXPECT_NE(scorer.pid(), before);
}

TEST_P(PluginScores, ThatDoWrongAreFaultsOfThePlugin) {
  const auto wrong = absl::StatusCode::kInvalidArgument;
  const absl::Status thrown = Fault("throw");
  EXPECT_THAT(thrown, StatusIs(wrong, HasSubstr(Use("WrongScore"))));
  EXPECT_THAT(thrown.message(), HasSubstr("thrown on purpose"));
  if (GetParam() == "scores.py") {
    EXPECT_THAT(plugin::TracebackOf(thrown), HasSubstr("raise ValueError"));
  }
  EXPECT_THAT(Fault("nan"), StatusIs(wrong, HasSubstr("finite")));
  EXPECT_THAT(Fault("negative"), StatusIs(wrong, HasSubstr("negative")));
  EXPECT_THAT(Fault("few"), StatusIs(wrong, HasSubstr(Use("WrongScore"))));
  // Not UNAVAILABLE, after which a training would be started again.
  EXPECT_THAT(Fault("exit"), StatusIs(wrong, HasSubstr("exited with code 3")));
  EXPECT_THAT(Fault("hang", ", timeout: 1s"),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr(Use("WrongScore"))));
}

TEST_P(PluginScores, NeedProbabilitiesThatTheLossHas) {
  const models::DownsamplingSpec spec = Submitted(Use("WrongScore"), "{how: well}");
  models::TrainingProblems problems;
  spec->CheckTraining({.outputs = 1, .loss_is_of_classes = true, .batch_size = 8}, problems);
  EXPECT_TRUE(problems.empty());
  spec->CheckTraining({.outputs = 1, .loss_is_of_classes = false, .batch_size = 8}, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].path, "use");
  EXPECT_THAT(problems[0].problem.message, HasSubstr("looks at probabilities"));
}

TEST_P(PluginScores, AreToldApartByATrialWhenTheyDependOnPlaces) {
  const auto sound = trials::TryScore(Submitted(Use("Losses"), "{}"), 300);
  ASSERT_THAT(sound, IsOk());
  EXPECT_TRUE(sound->KeepsAll());
  EXPECT_GT(sound->rows_per_second, 0);
  const auto unsound = trials::TryScore(Submitted(Use("WrongScore"), "{how: place}"), 300);
  ASSERT_THAT(unsound, IsOk());
  EXPECT_FALSE(unsound->KeepsAll());
  EXPECT_THAT(unsound->promises[1].detail, HasSubstr("in blocks of 7"));
}

TEST(PluginScoresInASchedule, AreReadInPlace) {
  const std::string score =
      "{type: plugin, use: 'scores.py:Losses', with: {kep: least}, fraction: 1}";
  const auto spec = SubmittedPart<models::DownsamplingSpec>(
      fmt::format("{{type: schedule, steps: [{{triggers: 2, use: none}}, {{use: {}}}]}}", score));
  EXPECT_THAT(spec.status().message(), HasSubstr("steps[1].use.with.kep"));
  EXPECT_THAT(spec.status().message(), HasSubstr("did you mean 'kept'?"));
}

TEST(StaleLoss, CountsALossTwiceAtItsAge) {
  PluginScorer scorer(Submitted("stale_loss.py:StaleLoss", "{doubled_after: 0.5}"));
  const auto scores = scorer.Score(Samples(1, {2, 0.5}));
  ASSERT_THAT(scores, IsOk());
  EXPECT_THAT(*scores, ElementsAre(6, 1.5));
}

}  // namespace
}  // namespace tidemill::trainer_server
