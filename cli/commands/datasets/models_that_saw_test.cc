#include "cli/commands/datasets/models_that_saw.h"

#include "gmock/gmock.h"

namespace tidemill::cli {
namespace {

using ::testing::SizeIs;

TrainingSetMatch MatchOf(int64_t run, int64_t trigger, int64_t num_found, bool is_removed = false) {
  TrainingSetMatch match;
  match.set_run_id(run);
  match.set_trigger(trigger);
  match.set_num_found(num_found);
  match.set_is_removed(is_removed);
  return match;
}

model_store::v1::Model ModelOf(int64_t id, int64_t run, int64_t trigger, int64_t parent = 0) {
  model_store::v1::Model model;
  model.set_model_id(id);
  model.set_run_id(run);
  model.set_trigger(trigger);
  model.set_parent_model_id(parent);
  return model;
}

TEST(ModelsThatSawTest, AreThoseOfTheSetsAndThoseThatContinueFromThem) {
  std::vector<TrainingSetMatch> matches;
  AddMatch(MatchOf(1, 2, 3), matches);
  AddMatch(MatchOf(2, 2, 1), matches);
  AddMatch(MatchOf(1, 2, 4), matches);
  ASSERT_THAT(matches, SizeIs(2));
  const std::vector<ModelThatSaw> saw = ModelsThatSaw(
      matches, {ModelOf(10, 1, 1), ModelOf(11, 1, 2, 10), ModelOf(12, 1, 3, 11),
                ModelOf(13, 1, 4, 12), ModelOf(14, 2, 1), ModelOf(15, 2, 2), ModelOf(16, 2, 3)});
  ASSERT_THAT(saw, SizeIs(4));
  EXPECT_EQ(saw[0].model, 11);
  EXPECT_EQ(saw[0].num_samples, 7);
  EXPECT_EQ(saw[0].through, 0);
  EXPECT_EQ(saw[1].model, 12);
  EXPECT_EQ(saw[1].through, 11);
  EXPECT_EQ(saw[1].num_samples, 0);
  EXPECT_EQ(saw[2].model, 13);
  EXPECT_EQ(saw[2].through, 12);
  EXPECT_EQ(saw[3].model, 15);
}

TEST(ModelsThatSawTest, AreUnsureWhereTheSetIsRemovedUnlessAParentIsSure) {
  const std::vector<ModelThatSaw> saw =
      ModelsThatSaw({MatchOf(1, 1, 5, true), MatchOf(2, 1, 1), MatchOf(2, 2, 5, true)},
                    {ModelOf(1, 1, 1), ModelOf(2, 1, 2, 1), ModelOf(3, 2, 1), ModelOf(4, 2, 2, 3)});
  ASSERT_THAT(saw, SizeIs(4));
  EXPECT_TRUE(saw[0].is_unsure);
  EXPECT_EQ(saw[0].num_samples, 5);
  EXPECT_TRUE(saw[1].is_unsure);
  EXPECT_EQ(saw[1].through, 1);
  EXPECT_FALSE(saw[2].is_unsure);
  EXPECT_FALSE(saw[3].is_unsure);
  EXPECT_EQ(saw[3].through, 3);
}

}  // namespace
}  // namespace tidemill::cli
