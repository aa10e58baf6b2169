#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/failpoints.h"
#include "base/testing/status_matchers.h"
#include "model_store/model_store.h"
#include "model_store/testing/model_store_fixture.h"

namespace tidemill::model_store {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::tidemill::model_store::testing::CommandOf;
using ::tidemill::model_store::testing::kParts;
using ::tidemill::model_store::testing::Life;
using ::tidemill::model_store::testing::ModelOf;
using ::tidemill::model_store::testing::ModelStoreTest;
using ::tidemill::model_store::testing::Parts;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

constexpr char kDigestOfTraining[] =
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

v1::ReuseModelRequest ReuseBy(int64_t run, int64_t trigger, int64_t parent = 0) {
  v1::ReuseModelRequest request;
  *request.mutable_command() = CommandOf(run);
  request.set_trigger(trigger);
  request.set_training_digest(kDigestOfTraining);
  request.set_parent_model_id(parent);
  return request;
}

class ReusedModelTest : public ModelStoreTest {
 protected:
  // Puts a model that others may reuse, as trigger 3 of run 1.
  static ModelId PutFirst(Life& life, const Parts& parts = kParts) {
    v1::Model model = ModelOf(1, 3, parts);
    model.set_training_digest(kDigestOfTraining);
    model.set_fit_seconds(0.5);
    model.set_train_seconds(7.25);
    rpc::v1::TrainingResult result;
    result.set_num_bad(4);
    result.set_seconds(7);
    result.add_loss_curve()->set_loss(0.125);
    const auto upload = life.store->Begin(CommandOf(1), model, result);
    EXPECT_THAT(upload, IsOk());
    for (const auto& [name, bytes] : parts) EXPECT_THAT((*upload)->Append(bytes), IsOk());
    const auto id = (*upload)->Finish();
    EXPECT_THAT(id, IsOk());
    return id.ok() ? *id : ModelId{};
  }
};

TEST_F(ReusedModelTest, IsAModelOfItsOwnWithThePartsAndTheCostOfTheFirst) {
  Life life = NewLife();
  const ModelId first = PutFirst(life);
  const auto parent = life.Put(ModelOf(2, 1));
  ASSERT_THAT(parent, IsOk());
  const auto reused = life.store->Reuse(ReuseBy(2, 5, parent->value));
  ASSERT_THAT(reused, IsOk());
  ASSERT_TRUE(reused->has_value());
  const v1::Model& model = (*reused)->model;
  EXPECT_NE(model.model_id(), first.value);
  EXPECT_EQ(model.run_id(), 2);
  EXPECT_EQ(model.trigger(), 5);
  EXPECT_EQ(model.parent_model_id(), parent->value);
  EXPECT_EQ(model.training_set_digest(), "0123");
  EXPECT_EQ(model.num_samples(), 2000);
  EXPECT_EQ(model.fit_seconds(), 0.5);
  EXPECT_EQ(model.train_seconds(), 7.25);
  EXPECT_THAT(model.classes(), ElementsAre("DOWN", "UP, \"and\" away"));
  EXPECT_EQ(model.reused_from().run_id(), 1);
  EXPECT_EQ(model.reused_from().trigger(), 3);
  EXPECT_EQ(model.reused_from().model_id(), first.value);
  EXPECT_EQ((*reused)->result.num_bad(), 4);
  EXPECT_EQ((*reused)->result.loss_curve(0).loss(), 0.125);
  for (const auto& [name, bytes] : kParts) {
    EXPECT_THAT(life.Read(ModelId{model.model_id()}, name), IsOkAndHolds(bytes));
  }
}

TEST_F(ReusedModelTest, OutlivesTheRunThatTrainedItAndIsReusedAgain) {
  Life life = NewLife();
  const ModelId first = PutFirst(life);
  const auto second = life.store->Reuse(ReuseBy(2, 5));
  ASSERT_TRUE(second.ok() && second->has_value());
  EXPECT_THAT(life.store->DeleteRun(CommandOf(1)), IsOkAndHolds(1));
  const auto third = life.store->Reuse(ReuseBy(3, 1));
  ASSERT_TRUE(third.ok() && third->has_value());
  EXPECT_EQ((*third)->model.reused_from().model_id(), first.value);
  EXPECT_EQ((*third)->model.train_seconds(), 7.25);
  EXPECT_EQ((*third)->result.num_bad(), 4);
  EXPECT_THAT(life.store->Retire(CommandOf(2), 6), IsOkAndHolds(1));
  for (const auto& [name, bytes] : kParts) {
    EXPECT_THAT(life.Read(ModelId{(*third)->model.model_id()}, name), IsOkAndHolds(bytes));
  }
  EXPECT_THAT(life.store->DeleteRun(CommandOf(2)), IsOkAndHolds(1));
  EXPECT_THAT(life.store->DeleteRun(CommandOf(3)), IsOkAndHolds(1));
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ReusedModelTest, IsGivenToATriggerOnce) {
  Life life = NewLife();
  PutFirst(life);
  v1::ReuseModelRequest only_given;
  *only_given.mutable_command() = CommandOf(2);
  only_given.set_trigger(5);
  only_given.set_only_given(true);
  EXPECT_THAT(life.store->Reuse(only_given), IsOkAndHolds(::testing::Eq(std::nullopt)));
  const auto once = life.store->Reuse(ReuseBy(2, 5));
  ASSERT_TRUE(once.ok() && once->has_value());
  EXPECT_THAT(life.store->DeleteRun(CommandOf(1)), IsOk());
  const auto again = NewLife().store->Reuse(ReuseBy(2, 5));
  ASSERT_TRUE(again.ok() && again->has_value());
  EXPECT_EQ((*again)->model.DebugString(), (*once)->model.DebugString());
  const auto given = life.store->Reuse(only_given);
  ASSERT_TRUE(given.ok() && given->has_value());
  EXPECT_EQ((*given)->model.DebugString(), (*once)->model.DebugString());
  EXPECT_THAT(life.List(0), IsOkAndHolds(SizeIs(1)));
}

TEST_F(ReusedModelTest, IsNeitherRemovedNorDamagedNorOfAnotherDigest) {
  Life life = NewLife();
  PutFirst(life);
  v1::ReuseModelRequest other = ReuseBy(2, 1);
  other.set_training_digest(std::string(64, 'b'));
  EXPECT_THAT(life.store->Reuse(other), IsOkAndHolds(::testing::Eq(std::nullopt)));
  other.set_training_digest("");
  EXPECT_THAT(life.store->Reuse(other), StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(life.store->FindOfDigest(""), StatusIs(absl::StatusCode::kInvalidArgument, _));
  std::ofstream(folder_ + "/models/1/" + Sha256(kParts[0].second)) << "some weightz";
  EXPECT_THAT(life.store->Reuse(ReuseBy(2, 1)), IsOkAndHolds(::testing::Eq(std::nullopt)));
  EXPECT_TRUE(life.store->FindOfDigest(kDigestOfTraining)->has_value());
  EXPECT_THAT(life.store->Retire(CommandOf(1), 4), IsOkAndHolds(1));
  EXPECT_FALSE(life.store->FindOfDigest(kDigestOfTraining)->has_value());
  EXPECT_THAT(life.store->Reuse(ReuseBy(2, 1)), IsOkAndHolds(::testing::Eq(std::nullopt)));
}

TEST_F(ReusedModelTest, DoesNotReplaceWhatATriggerHasTrained) {
  Life life = NewLife();
  PutFirst(life);
  EXPECT_THAT(life.store->Reuse(ReuseBy(1, 3)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("itself")));
  v1::ReuseModelRequest late = ReuseBy(2, 1);
  late.mutable_command()->set_run_epoch(2);
  ASSERT_THAT(life.store->Reuse(late), IsOk());
  EXPECT_THAT(life.store->Reuse(ReuseBy(2, 2)), StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

TEST_F(ReusedModelTest, IsSharedWithinItsRun) {
  Life life = NewLife();
  PutFirst(life);
  const auto again = life.store->Reuse(ReuseBy(1, 4));
  ASSERT_TRUE(again.ok() && again->has_value());
  EXPECT_EQ(Files().size(), kParts.size());
  EXPECT_THAT(life.store->Retire(CommandOf(1), 4), IsOkAndHolds(1));
  EXPECT_THAT(life.Read(ModelId{(*again)->model.model_id()}, "spec.yaml"),
              IsOkAndHolds(kParts[2].second));
}

TEST_F(ReusedModelTest, IsWholeAfterAKillInTheMiddle) {
  {
    Life life = NewLife();
    PutFirst(life);
  }
  ASSERT_EXIT(
      {
        failpoints::Arm("model_store.before_reuse=kill").IgnoreError();
        NewLife().store->Reuse(ReuseBy(2, 5)).IgnoreError();
      },
      ::testing::KilledBySignal(SIGKILL), "");
  Life life = NewLife();
  EXPECT_THAT(life.List(2), IsOkAndHolds(IsEmpty()));
  const auto reused = life.store->Reuse(ReuseBy(2, 5));
  ASSERT_TRUE(reused.ok() && reused->has_value());
  EXPECT_THAT(life.Read(ModelId{(*reused)->model.model_id()}, "weights.safetensors"),
              IsOkAndHolds(kParts[0].second));
  EXPECT_EQ(Files().size(), 2 * kParts.size()) << "something was left behind";
}

}  // namespace
}  // namespace tidemill::model_store
