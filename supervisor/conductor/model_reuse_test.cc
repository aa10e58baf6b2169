// Runs with `training: {reuse: true}` against services that answer at once.
#include "supervisor/conductor/model_reuse.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "models/training/training_draw.h"
#include "supervisor/testing/replay_fixture.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class ModelReuseTest : public testing::ReplayFixture {
 protected:
  static v1::SubmitPipelineRequest Reusing(const std::string& request_id) {
    v1::SubmitPipelineRequest request = Request(request_id);
    std::string pipeline = request.pipeline();
    const std::string seed = "seed: 7";
    pipeline.replace(pipeline.find(seed), seed.size(), seed + "\n  reuse: true");
    request.set_pipeline(pipeline);
    return request;
  }

  std::vector<v1::ModelTrained> Trained(const v1::GetRunResponse& shown) {
    std::vector<v1::ModelTrained> trained;
    for (const v1::RecordedEvent& recorded : shown.events()) {
      if (recorded.event().has_model_trained()) {
        trained.push_back(recorded.event().model_trained());
      }
    }
    return trained;
  }
};

TEST_F(ModelReuseTest, TakesEveryModelOfAnEarlierRunAtItsCost) {
  const RunId first = Submit(Reusing("a"));
  Finish(first);
  EXPECT_EQ(services_.Calls("StartTraining"), 3);
  const v1::GetRunResponse before = Get(first);
  const RunId second = Submit(Reusing("b"));
  EXPECT_EQ(Finish(second).back(), "run_succeeded");
  EXPECT_EQ(services_.Calls("StartTraining"), 3);
  EXPECT_EQ(services_.Calls("FitGraph"), 1) << "the first run has fitted";
  EXPECT_EQ(services_.Calls("TakeFitted"), 1);
  const v1::GetRunResponse shown = Get(second);
  ASSERT_EQ(shown.triggers_size(), 3);
  for (int i = 0; i < 3; ++i) {
    const v1::Trigger& from = before.triggers(i);
    const v1::Trigger& taken = shown.triggers(i);
    EXPECT_FALSE(from.has_reused_from());
    EXPECT_EQ(taken.reused_from().run_id(), first.value);
    EXPECT_EQ(taken.reused_from().trigger(), i + 1);
    EXPECT_EQ(taken.reused_from().model_id(), from.model_id());
    EXPECT_NE(taken.model_id(), from.model_id());
    EXPECT_EQ(taken.weights_digest(), from.weights_digest());
    EXPECT_EQ(taken.training_digest(), from.training_digest());
    EXPECT_EQ(taken.stage_seconds().at("train"), from.stage_seconds().at("train"));
    EXPECT_EQ(taken.result().num_bad(), i + 1);
  }
  EXPECT_EQ(shown.triggers(0).stage_seconds().at("fit"),
            before.triggers(0).stage_seconds().at("fit"));
}

TEST_F(ModelReuseTest, TakesNothingWithoutTheSetting) {
  Finish(Submit(Request("a")));
  Finish(Submit(Request("b")));
  EXPECT_EQ(services_.Calls("StartTraining"), 6);
  EXPECT_EQ(services_.Calls("GetTrainingDigest") + services_.Calls("ReuseModel"), 0);
  for (const auto& training : services_.trainings()) EXPECT_EQ(training.draw(), 0);
}

TEST_F(ModelReuseTest, TakesModelsWithinASweepAndDrawsAsARunAlone) {
  const auto in_sweep = [](const std::string& id, int32_t setting, int32_t rung) {
    v1::SubmitPipelineRequest request = Request(id);
    v1::ValueToSet& set = *request.add_values_to_set();
    set.set_key("training.seed");
    set.set_value(std::to_string(setting));
    request.mutable_in_sweep()->set_sweep("s");
    request.mutable_in_sweep()->set_setting(setting);
    request.mutable_in_sweep()->set_rung(rung);
    return request;
  };
  v1::SubmitPipelineRequest first = in_sweep("a", 1, 1);
  first.set_max_triggers(2);
  Finish(Submit(first));
  EXPECT_EQ(services_.Calls("StartTraining"), 2);
  const RunId second = Submit(in_sweep("b", 1, 2));
  Finish(second);
  EXPECT_EQ(services_.Calls("StartTraining"), 3);
  EXPECT_TRUE(Get(second).triggers(1).has_reused_from());
  EXPECT_FALSE(Get(second).triggers(2).has_reused_from());
  Finish(Submit(in_sweep("c", 2, 1)));
  EXPECT_EQ(services_.Calls("StartTraining"), 6) << "another seed is another training";
  for (const auto& training : services_.trainings()) EXPECT_EQ(training.draw(), 0);
}

TEST_F(ModelReuseTest, DrawsByTheTrainingSet) {
  Finish(Submit(Reusing("a")));
  const auto trainings = services_.trainings();
  ASSERT_THAT(trainings, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(trainings[i].draw(), models::DrawOf("set-" + std::to_string(i + 1)));
    EXPECT_GT(trainings[i].draw(), 0);
  }
  EXPECT_NE(trainings[0].draw(), trainings[1].draw());
}

TEST_F(ModelReuseTest, TrainsAnewWhatHasLostItsModelAndSaysFromWhereTheOthersCome) {
  Finish(Submit(Reusing("a")));
  services_.ForgetModel(2);
  const RunId second = Submit(Reusing("b"));
  Finish(second);
  EXPECT_EQ(services_.Calls("StartTraining"), 4);
  const v1::GetRunResponse shown = Get(second);
  EXPECT_TRUE(shown.triggers(0).has_reused_from());
  EXPECT_FALSE(shown.triggers(1).has_reused_from());
  // The weights of trigger 2 are as before, so that trigger 3 starts from the same parent.
  EXPECT_TRUE(shown.triggers(2).has_reused_from());
}

TEST_F(ModelReuseTest, TrainsWhereSamplesWereDeletedAfterTheSnapshot) {
  Finish(Submit(Reusing("a")));
  services_.DeleteSamplesOnceSealed();
  const RunId second = Submit(Reusing("b"));
  Finish(second);
  EXPECT_EQ(services_.Calls("StartTraining"), 6);
  for (const v1::ModelTrained& trained : Trained(Get(second))) {
    EXPECT_FALSE(trained.has_reused_from());
    EXPECT_EQ(trained.training_digest(), "");
    EXPECT_THAT(trained.why_not_reusable(), HasSubstr("deleted"));
  }
  // A later run has the deletion in its snapshot.
  Finish(Submit(Reusing("c")));
  EXPECT_EQ(services_.Calls("StartTraining"), 6);
}

TEST_F(ModelReuseTest, SaysWhyATrainingHasNoDigest) {
  services_.ReuseNothing("it trains on a GPU");
  Finish(Submit(Reusing("a")));
  const RunId second = Submit(Reusing("b"));
  Finish(second);
  EXPECT_EQ(services_.Calls("StartTraining"), 6);
  const auto trained = Trained(Get(second));
  ASSERT_THAT(trained, SizeIs(3));
  EXPECT_EQ(trained[2].why_not_reusable(), "it trains on a GPU");
}

}  // namespace
}  // namespace tidemill::supervisor
