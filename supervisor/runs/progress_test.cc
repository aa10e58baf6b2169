#include "supervisor/runs/progress.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::supervisor {
namespace {

using ::testing::DoubleNear;

// A thousand samples, one an hour.
v1::DatasetSynced Data() {
  v1::DatasetSynced data;
  data.set_name("data");
  data.set_num_samples(1000);
  data.mutable_from()->set_event_time(0);
  data.mutable_to()->set_event_time(3'600'000'000LL * 1000);
  return data;
}

class ProgressTest : public ::testing::Test {
 protected:
  ProgressTest() { Start(/*max_triggers=*/0); }

  void Start(int64_t max_triggers) {
    state_ = RunState();
    v1::RunEvent event;
    event.mutable_run_started()->set_max_triggers(max_triggers);
    state_.Apply(event);
  }

  void Fire(int64_t num_new) {
    seen_ += num_new;
    v1::RunEvent event;
    auto& fired = *event.mutable_trigger_fired();
    fired.set_trigger(static_cast<int64_t>(state_.triggers().size()) + 1);
    fired.set_num_samples(num_new);
    fired.mutable_at()->set_event_time(3'600'000'000LL * seen_);
    state_.Apply(event);
  }

  v1::Progress Deciding(int64_t num_new) const {
    v1::Progress progress =
        ProgressOf("decide", NumBeforeLastTrigger(state_) + num_new, 1000, "samples");
    progress.set_share(ReplayedShare(Data(), progress.done(), 3'600'000'000LL * progress.done()));
    AddWhole(state_, Data(), progress);
    return progress;
  }

  v1::Progress At(const char* stage, int64_t done, int64_t total) const {
    v1::Progress progress = ProgressOf(stage, done, total, "samples");
    AddWhole(state_, Data(), progress);
    return progress;
  }

  RunState state_;
  int64_t seen_ = 0;
};

TEST_F(ProgressTest, OfAWholeRunOnlyGrows) {
  double last = -1;
  for (int trigger = 1; trigger <= 4; ++trigger) {
    for (const int64_t num_new : {100, 200}) {
      EXPECT_GE(Deciding(num_new).share(), last);
      last = Deciding(num_new).share();
    }
    Fire(200);
    for (const auto& step : {At("select", 0, 0), At("fit", 0, 0), At("train", 0, 800),
                             At("train", 400, 800), At("train", 800, 800), At("store", 0, 0)}) {
      EXPECT_GE(step.share(), last) << step.stage();
      EXPECT_EQ(step.trigger(), trigger);
      last = step.share();
    }
    EXPECT_THAT(last, DoubleNear(0.2 * trigger, 1e-9));
  }
}

TEST_F(ProgressTest, ExpectsAsManyTriggersAsFiredSoFarInProportion) {
  EXPECT_EQ(Deciding(50).expected_triggers(), 0);
  Fire(80);
  EXPECT_EQ(At("train", 1, 2).expected_triggers(), 13);
  Fire(120);
  EXPECT_EQ(At("train", 1, 2).expected_triggers(), 10);
}

TEST_F(ProgressTest, KnowsThatARunEndsAfterAGivenNumberOfTriggers) {
  Start(/*max_triggers=*/2);
  Fire(100);
  EXPECT_THAT(At("train", 800, 800).share(), DoubleNear(0.5, 1e-9));
  EXPECT_EQ(At("train", 1, 2).expected_triggers(), 2);
}

TEST_F(ProgressTest, UsesTimeWhereTheReplayIsAPartOfItsDataset) {
  v1::DatasetSynced data = Data();
  data.mutable_replay_from()->set_event_time(0);
  data.mutable_replay_to()->set_event_time(3'600'000'000LL * 500);
  EXPECT_THAT(ReplayedShare(data, 1, 3'600'000'000LL * 250), DoubleNear(0.5, 1e-9));
  EXPECT_THAT(ReplayedShare(Data(), 250, 0), DoubleNear(0.25, 1e-9));
}

TEST_F(ProgressTest, IsNotToldOfAStreamThatHasEnded) {
  Fire(100);
  v1::RunEvent ended;
  ended.mutable_stream_ended()->set_dataset("data");
  state_.Apply(ended);
  EXPECT_FALSE(At("evaluate", 1, 2).has_share());
}

}  // namespace
}  // namespace tidemill::supervisor
