#include "supervisor/runs/run_history.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/runs/event_text.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;

EventRow At(int64_t second, const v1::RunEvent& event) {
  EventRow row;
  row.shown.set_sequence(second);
  row.shown.mutable_at()->set_seconds(second);
  row.shown.set_trigger(TriggerNumberOf(event));
  row.event = event;
  return row;
}

// Trigger 1 fires at second 10, has trained at 20 with a curve of ten points, is stored at 30.
std::vector<EventRow> Events() {
  v1::RunEvent fired, trained, stored;
  fired.mutable_trigger_fired()->set_trigger(1);
  trained.mutable_model_trained()->set_trigger(1);
  for (int i = 1; i <= 10; ++i) {
    trained.mutable_model_trained()->mutable_result()->add_loss_curve()->set_num_samples(i);
  }
  stored.mutable_model_stored()->set_trigger(1);
  return {At(10, fired), At(20, trained), At(30, stored)};
}

std::vector<int64_t> SamplesOfCurve(const v1::Trigger& trigger) {
  std::vector<int64_t> samples;
  for (const auto& point : trigger.result().loss_curve()) samples.push_back(point.num_samples());
  return samples;
}

TEST(RunHistory, TellsWhenATriggerFiredAndItsModelWasStored) {
  v1::GetRunResponse response;
  response.add_triggers();
  AddHistory(Events(), response);
  EXPECT_EQ(response.triggers(0).fired_at().seconds(), 10);
  EXPECT_EQ(response.triggers(0).stored_at().seconds(), 30);
  EXPECT_EQ(response.triggers(0).result().loss_curve_size(), 10);
}

TEST(RunHistory, ThinsCurvesEvenlyAndKeepsTheLastPoint) {
  v1::GetRunResponse response;
  response.add_triggers();
  AddHistory(Events(), response, 5);
  EXPECT_THAT(SamplesOfCurve(response.triggers(0)), ElementsAre(2, 4, 6, 8, 10));
  response.add_triggers();  // The points are for both.
  AddHistory(Events(), response, 5);
  EXPECT_THAT(SamplesOfCurve(response.triggers(0)), ElementsAre(5, 10));
}

TEST(RunHistory, RepeatsEventsWithoutCurves) {
  v1::GetRunResponse response;
  AddEvents(Events(), response);
  ASSERT_EQ(response.events_size(), 3);
  EXPECT_EQ(response.events(1).sequence(), 20);
  EXPECT_TRUE(response.events(1).event().has_model_trained());
  EXPECT_EQ(response.events(1).event().model_trained().result().loss_curve_size(), 0);
}

}  // namespace
}  // namespace tidemill::supervisor
