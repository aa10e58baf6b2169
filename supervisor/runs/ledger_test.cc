#include "supervisor/runs/ledger.h"

#include "gtest/gtest.h"

namespace tidemill::supervisor {
namespace {

v1::RunEvent FiredWith(int64_t trigger, int64_t num_new, int64_t num_late = 0) {
  v1::RunEvent event;
  event.mutable_trigger_fired()->set_trigger(trigger);
  event.mutable_trigger_fired()->set_num_samples(num_new);
  event.mutable_trigger_fired()->set_num_late(num_late);
  return event;
}

struct SetCounts {
  int64_t num_samples = 0;
  int64_t num_candidates = 0;
  int64_t num_fresh = 0;
  int64_t num_unlabelled = 0;
  int64_t num_new_unlabelled = 0;
};

v1::RunEvent SealedWith(int64_t trigger, const SetCounts& set) {
  v1::RunEvent event;
  v1::TrainingSetSealed& sealed = *event.mutable_training_set_sealed();
  sealed.set_trigger(trigger);
  sealed.set_num_samples(set.num_samples);
  sealed.set_num_candidates(set.num_candidates);
  sealed.set_num_fresh(set.num_fresh);
  sealed.set_num_unlabelled(set.num_unlabelled);
  sealed.set_num_new_unlabelled(set.num_new_unlabelled);
  return event;
}

v1::RunEvent TrainedWith(int64_t trigger, int64_t num_bad) {
  v1::RunEvent event;
  event.mutable_model_trained()->set_trigger(trigger);
  event.mutable_model_trained()->mutable_result()->set_num_bad(num_bad);
  event.mutable_model_trained()->mutable_result()->set_num_skipped(20 * num_bad);
  return event;
}

v1::RunEvent SkippedAt(int64_t trigger, const std::string& stage) {
  v1::RunEvent event;
  event.mutable_trigger_skipped()->set_trigger(trigger);
  event.mutable_trigger_skipped()->set_stage(stage);
  return event;
}

v1::RunEvent EndedWith(int64_t num_leftover, int64_t num_late = 0) {
  v1::RunEvent event;
  event.mutable_stream_ended()->set_num_leftover(num_leftover);
  event.mutable_stream_ended()->set_num_late(num_late);
  return event;
}

class LedgerTest : public ::testing::Test {
 protected:
  explicit LedgerTest() { spec_.preprocess.dataset = "a"; }

  void Sync(int64_t num_samples) {
    v1::RunEvent event;
    event.mutable_dataset_synced()->set_name("a");
    event.mutable_dataset_synced()->set_num_samples(num_samples);
    state_.Apply(event);
  }
  void GoLive(LatePolicy late) {
    spec_.live.emplace();
    spec_.live->late = late;
    v1::RunEvent event;
    event.mutable_run_started()->set_live(true);
    state_.Apply(event);
  }
  rpc::v1::Ledger Run() const { return LedgerOf(state_, spec_).value(); }
  rpc::v1::Ledger OfTrigger(size_t number) const {
    return LedgerOf(state_.triggers()[number - 1], spec_).value();
  }

  PipelineSpec spec_;
  RunState state_;
};

// A training comes upon them after its set was sealed; an evaluation calls them deleted, too.
TEST_F(LedgerTest, CountsSamplesDeletedAfterTheirSetWasSealed) {
  Sync(500);
  state_.Apply(FiredWith(1, 400));
  state_.Apply(SealedWith(1, {390, 390, 390, 10, 10}));
  v1::RunEvent trained = TrainedWith(1, 7);
  trained.mutable_model_trained()->mutable_result()->set_num_deleted(3);
  state_.Apply(trained);
  EXPECT_EQ(OfTrigger(1).num_deleted(), 3);
  EXPECT_EQ(OfTrigger(1).num_bad(), 7);
  EXPECT_EQ(OfTrigger(1).num_used(), 380);
  EXPECT_EQ(SumOf(OfTrigger(1)), OfTrigger(1).num_known());
  EXPECT_EQ(Run().num_deleted(), 3);
  EXPECT_EQ(Run().num_used(), 380);
  EXPECT_EQ(SumOf(Run()), 500);
}

TEST_F(LedgerTest, OfAReplayThatTrainsOnNewDataCountsEachSampleOnce) {
  Sync(1'000);
  state_.Apply(FiredWith(1, 400));
  state_.Apply(SealedWith(1, {390, 390, 390, 10, 10}));
  state_.Apply(TrainedWith(1, 7));
  state_.Apply(FiredWith(2, 450));
  state_.Apply(SealedWith(2, {445, 445, 445, 5, 5}));
  state_.Apply(TrainedWith(2, 0));
  state_.Apply(EndedWith(150));
  const rpc::v1::Ledger run = Run();
  EXPECT_EQ(run.num_known(), 1'000);
  EXPECT_EQ(run.num_used(), 390 + 445 - 7);
  EXPECT_EQ(run.num_bad(), 7) << "not twenty times";
  EXPECT_EQ(run.num_unlabelled(), 15);
  EXPECT_EQ(run.num_filtered(), 0);
  EXPECT_EQ(run.num_not_reached(), 150);
  EXPECT_EQ(SumOf(run), 1'000);
  EXPECT_EQ(OfTrigger(1).num_known(), 400);
  EXPECT_EQ(OfTrigger(1).num_used(), 383);
  EXPECT_EQ(SumOf(OfTrigger(1)), 400);
}

TEST_F(LedgerTest, ASampleOfSeveralTrainingSetsIsUsedOnce) {
  Sync(600);
  state_.Apply(FiredWith(1, 300));
  state_.Apply(SealedWith(1, {100, 290, 100, 10, 10}));
  state_.Apply(TrainedWith(1, 3));
  state_.Apply(FiredWith(2, 300));
  state_.Apply(SealedWith(2, {100, 585, 80, 15, 5}));
  state_.Apply(TrainedWith(2, 4));
  state_.Apply(EndedWith(0));
  const rpc::v1::Ledger run = Run();
  EXPECT_EQ(run.num_bad(), 4) << "as many as one set has, at least";
  EXPECT_EQ(run.num_used(), 180 - 4);
  EXPECT_EQ(run.num_unlabelled(), 15);
  EXPECT_EQ(run.num_filtered(), 600 - 15 - 180);
  EXPECT_EQ(SumOf(run), 600);
  EXPECT_EQ(OfTrigger(2).num_known(), 600);
  EXPECT_EQ(OfTrigger(2).num_filtered(), 485);
  EXPECT_EQ(SumOf(OfTrigger(2)), 600);
}

TEST_F(LedgerTest, SkippedTriggersAndThoseInProgressAreReported) {
  Sync(400);
  state_.Apply(FiredWith(1, 100));
  state_.Apply(SealedWith(1, {100, 100, 100, 0, 0}));
  state_.Apply(SkippedAt(1, "train"));
  state_.Apply(FiredWith(2, 100));
  v1::RunEvent none = SkippedAt(2, "select");
  none.mutable_trigger_skipped()->set_num_unlabelled(100);
  none.mutable_trigger_skipped()->set_num_new_unlabelled(100);
  state_.Apply(none);
  state_.Apply(FiredWith(3, 100));
  const rpc::v1::Ledger run = Run();
  EXPECT_EQ(run.num_skipped(), 100);
  EXPECT_EQ(run.num_unlabelled(), 100);
  EXPECT_EQ(run.num_not_reached(), 200) << "of the third trigger, and after it";
  EXPECT_EQ(SumOf(run), 400);
  EXPECT_EQ(OfTrigger(1).num_skipped(), 100);
  EXPECT_EQ(OfTrigger(2).num_unlabelled(), 100);
  EXPECT_EQ(SumOf(OfTrigger(2)), OfTrigger(2).num_known());
  EXPECT_FALSE(LedgerOf(state_.triggers()[2], spec_).has_value());
}

TEST_F(LedgerTest, LateSamplesThatWaitAtTheEndAreLateToo) {
  Sync(0);
  GoLive(LatePolicy::kQuarantine);
  state_.Apply(FiredWith(1, 60));
  state_.Apply(SealedWith(1, {60, 60, 60, 0, 0}));
  state_.Apply(TrainedWith(1, 0));
  state_.Apply(FiredWith(2, 10, /*num_late=*/50));
  state_.Apply(SealedWith(2, {10, 10, 10, 0, 0}));
  state_.Apply(TrainedWith(2, 0));
  state_.Apply(EndedWith(1, /*num_late=*/50));
  const rpc::v1::Ledger run = Run();
  EXPECT_EQ(run.num_late(), 100);
  EXPECT_EQ(run.num_not_reached(), 1);
  EXPECT_EQ(run.num_used(), 70);
  EXPECT_EQ(run.num_known(), 171);
  EXPECT_EQ(OfTrigger(2).num_late(), 50);
  EXPECT_EQ(SumOf(OfTrigger(2)), OfTrigger(2).num_known());
}

TEST_F(LedgerTest, AcceptedLateSamplesAreUsed) {
  Sync(0);
  GoLive(LatePolicy::kAccept);
  state_.Apply(FiredWith(1, 60));
  state_.Apply(SealedWith(1, {60, 60, 60, 0, 0}));
  state_.Apply(FiredWith(2, 10, /*num_late=*/50));
  state_.Apply(SealedWith(2, {58, 58, 58, 2, 2}));
  state_.Apply(EndedWith(0, /*num_late=*/5));
  const rpc::v1::Ledger run = Run();
  EXPECT_EQ(run.num_used(), 118);
  EXPECT_EQ(run.num_unlabelled(), 2);
  EXPECT_EQ(run.num_late(), 5) << "no trigger has taken them";
  EXPECT_EQ(run.num_filtered(), 0);
}

TEST_F(LedgerTest, SamplesOutsideTheReplayAreFiltered) {
  v1::RunEvent event;
  event.mutable_dataset_synced()->set_name("a");
  event.mutable_dataset_synced()->set_num_samples(500);
  event.mutable_dataset_synced()->mutable_replay_from()->set_event_time(7);
  state_.Apply(event);
  state_.Apply(FiredWith(1, 100));
  state_.Apply(SealedWith(1, {100, 100, 100, 0, 0}));
  state_.Apply(TrainedWith(1, 0));
  EXPECT_EQ(Run().num_not_reached(), 400) << "while it runs nobody knows";
  state_.Apply(EndedWith(30));
  EXPECT_EQ(Run().num_filtered(), 370);
  EXPECT_EQ(Run().num_not_reached(), 30);
  EXPECT_EQ(SumOf(Run()), 500);
}

TEST_F(LedgerTest, OfATriggerThatCountedInEachEpochHasNoMoreBadSamplesThanItsSet) {
  Sync(350);
  state_.Apply(FiredWith(1, 350));
  state_.Apply(SealedWith(1, {350, 350, 350, 0, 0}));
  v1::RunEvent old = TrainedWith(1, 350);
  old.mutable_model_trained()->mutable_result()->clear_num_bad();
  state_.Apply(old);
  EXPECT_EQ(OfTrigger(1).num_bad(), 350) << "of 7,000 in 20 epochs";
  EXPECT_EQ(OfTrigger(1).num_used(), 0);
}

TEST_F(LedgerTest, OfARunThatCountedOtherwiseIsUnknown) {
  EXPECT_FALSE(LedgerOf(state_, spec_).has_value());
  Sync(100);
  state_.Apply(FiredWith(1, 100));
  v1::RunEvent old = SealedWith(1, {100, 100, 100, 0, 0});
  old.mutable_training_set_sealed()->clear_num_fresh();
  state_.Apply(old);
  EXPECT_FALSE(LedgerOf(state_, spec_).has_value());
}

}  // namespace
}  // namespace tidemill::supervisor
