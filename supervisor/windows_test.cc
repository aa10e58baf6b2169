#include "supervisor/windows.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::DatasetSynced Dataset(int64_t from, int64_t to) {
  v1::DatasetSynced dataset;
  dataset.mutable_from()->set_event_time(from);
  dataset.mutable_to()->set_event_time(to);
  return dataset;
}

// Triggers at the given times; the n-th made model 70 + n.
std::vector<TriggerState> Triggers(const std::vector<int64_t>& times) {
  std::vector<TriggerState> triggers;
  for (const int64_t time : times) {
    TriggerState& trigger = triggers.emplace_back();
    trigger.trigger.set_number(static_cast<int64_t>(triggers.size()));
    trigger.trigger.mutable_at()->set_event_time(time);
    trigger.trigger.set_model_id(70 + trigger.trigger.number());
  }
  return triggers;
}

// "from-to active/trained", with - for none.
std::vector<std::string> Show(const std::vector<Window>& windows) {
  std::vector<std::string> shown;
  const auto number = [](const std::optional<int64_t>& trigger) {
    return trigger ? std::to_string(*trigger) : "-";
  };
  for (const Window& window : windows) {
    shown.push_back(std::to_string(window.from.event_time()) + "-" +
                    std::to_string(window.to.event_time()) + " " + number(window.active_trigger) +
                    "/" + number(window.trained_trigger));
  }
  return shown;
}

TEST(Windows, LieBetweenTheTriggersAndCoverTheDataset) {
  EXPECT_THAT(Show(MakeWindows(evaluator::BetweenTriggers{}, Dataset(0, 100), Triggers({40, 70}))),
              ElementsAre("0-40 -/1", "40-70 1/2", "70-100 2/-"));
  EXPECT_THAT(Show(MakeWindows(evaluator::BetweenTriggers{}, Dataset(0, 100), Triggers({}))),
              ElementsAre("0-100 -/-"));
}

TEST(Windows, LeaveOutWhatLiesOutsideTheDataset) {
  EXPECT_THAT(Show(MakeWindows(evaluator::BetweenTriggers{}, Dataset(50, 60), Triggers({40, 70}))),
              ElementsAre("50-60 1/2"));
  EXPECT_THAT(Show(MakeWindows(evaluator::BetweenTriggers{}, Dataset(0, 0), Triggers({40}))),
              IsEmpty());
}

TEST(Windows, AreSlicesOfEqualLength) {
  EXPECT_THAT(
      Show(MakeWindows(evaluator::Slices{.every = {30}}, Dataset(10, 100), Triggers({40, 60}))),
      ElementsAre("10-40 -/1", "40-70 1/-", "70-100 2/-"));
}

TEST(Windows, NameTheModelInUseWhenOnlyThatIsToBeMeasured) {
  evaluator::EvaluationSpec spec;
  spec.models = evaluator::EvaluatedModels::kActive;
  const auto windows = WindowsToMeasure(spec, Dataset(0, 100), Triggers({40, 70}));
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_THAT(windows[0].model_ids(), ElementsAre(71));
  EXPECT_THAT(windows[1].model_ids(), ElementsAre(72));
  spec.windows = evaluator::Whole{};
  const auto whole = WindowsToMeasure(spec, Dataset(0, 100), Triggers({40, 70}));
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_THAT(whole[0].model_ids(), ElementsAre(72));
}

TEST(Composites, FollowTheActiveAndTheTrainedModel) {
  const evaluator::EvaluationSpec spec;
  const auto dataset = Dataset(0, 100);
  const auto triggers = Triggers({40, 70});
  std::vector<evaluator::v1::Evaluation> values;
  for (const Window& window : MakeWindows(spec.windows, dataset, triggers)) {
    for (const TriggerState& trigger : triggers) {
      evaluator::v1::Evaluation& value = values.emplace_back();
      value.set_trigger(trigger.trigger.number());
      *value.mutable_from() = window.from;
      *value.mutable_to() = window.to;
      value.set_measure("accuracy");
      value.set_value(static_cast<double>(1000 * trigger.trigger.number()) +
                      static_cast<double>(window.from.event_time()));
      value.set_num_samples(window.to.event_time() - window.from.event_time());
    }
  }
  const Composites composites = MakeComposites(spec, dataset, triggers, values);
  std::vector<double> active, trained;
  for (const auto& value : composites.active) active.push_back(value.value());
  for (const auto& value : composites.trained) trained.push_back(value.value());
  EXPECT_THAT(active, ElementsAre(1040, 2070));
  EXPECT_THAT(trained, ElementsAre(1000, 2040));
  EXPECT_EQ(composites.active[1].num_samples(), 30);
}

}  // namespace
}  // namespace tidemill::supervisor
