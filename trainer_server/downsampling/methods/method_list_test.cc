#include "trainer_server/downsampling/spec/method_list.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "trainer_server/downsampling/methods/method.h"

namespace tidemill::trainer_server {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

models::DownsamplingSpec Spec(const std::string& yaml) {
  auto spec = config::Read<models::DownsamplingSpec>(yaml, "downsampling");
  EXPECT_TRUE(spec.ok()) << spec.status().ToString();
  return *spec;
}

TEST(MethodAt, FollowsTheStepsOfAScheduleAndWarmsUpInEach) {
  const models::DownsamplingSpec spec = Spec(
      "{type: schedule, steps: [{triggers: 2, use: info_batch}, "
      "{use: {type: rs2, fraction: 0.1, warmup_triggers: 1}}]}");
  std::vector<std::string_view> names;
  for (int64_t trigger = 1; trigger <= 5; ++trigger) {
    names.push_back(spec->MethodAt(trigger).type());
  }
  EXPECT_THAT(names, ElementsAre("info_batch", "info_batch", "none", "rs2", "rs2"));
}

TEST(Methods, AreThoseOfTheStepsOrItself) {
  const models::DownsamplingSpec schedule =
      Spec("{type: schedule, steps: [{triggers: 2, use: none}, {use: info_batch}]}");
  ASSERT_THAT(schedule->Methods(), SizeIs(2));
  EXPECT_TRUE(schedule->Methods()[0]->IsNone());
  EXPECT_FALSE(schedule->Methods()[1]->IsNone());
  EXPECT_FALSE(schedule->IsNone());
  const models::DownsamplingSpec one = InfoBatch{};
  EXPECT_THAT(one->Methods(), ElementsAre(&*one));
}

TEST(DownsamplingSpec, IsEqualWhereTypeAndSettingsAre) {
  const std::string yaml =
      "{type: schedule, steps: [{triggers: 2, use: none}, {use: {type: margin, fraction: 0.5}}]}";
  EXPECT_TRUE(Spec(yaml) == Spec(yaml));
  EXPECT_FALSE(Spec("{type: margin, fraction: 0.5}") == Spec("{type: margin, fraction: 0.25}"));
  EXPECT_FALSE(Spec("{type: margin, fraction: 0.5}") == Spec("{type: entropy, fraction: 0.5}"));
}

TEST(Auxiliary, IsTheOtherModelOfTheMethodThatComparesLosses) {
  EXPECT_FALSE(Spec("{type: loss, fraction: 0.5}")->Auxiliary().has_value());
  const auto other = Spec("{type: rho_loss, fraction: 0.5, holdout: 0.2, epochs: 3}")->Auxiliary();
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->holdout, 0.2);
  EXPECT_EQ(other->epochs, 3);
}

TEST(MethodOf, OfEveryMethodButSchedulesIsThere) {
  for (const auto& alternative : models::Downsampling::Alternatives()) {
    const auto spec = alternative.make()->MethodAt(1);
    const bool is_there =
        std::visit([](const auto& method) { return method != nullptr; }, MethodOf(spec));
    EXPECT_TRUE(is_there) << alternative.type().tag;
  }
}

TEST(BlindMethods, TakeAShareOfTheSamples) {
  Rs2 repeated;
  repeated.fraction = 0.25;
  const BlindChoice drawn = MakeMethod(repeated)->Choose(40, {.seed = 1, .purpose = "test"});
  EXPECT_EQ(drawn.num_samples, 10);
  ASSERT_TRUE(drawn.draw.has_value());
  EXPECT_EQ(drawn.draw->samples, 10);
  UniformSubset uniform;
  uniform.fraction = 0.25;
  const BlindChoice subset = MakeMethod(uniform)->Choose(40, {.seed = 1, .purpose = "test"});
  ASSERT_TRUE(subset.subset.has_value());
  EXPECT_THAT(subset.subset->ordinals, SizeIs(10));
  const BlindChoice all = MakeMethod(NoDownsampling{})->Choose(40, {.seed = 1, .purpose = "test"});
  EXPECT_EQ(all.num_samples, 40);
  EXPECT_FALSE(all.subset.has_value() || all.draw.has_value());
}

TEST(InfoBatchMethod, LeavesNothingOutTowardsTheEnd) {
  const std::vector<float> losses = {0.1F, 0.1F, 0.1F, 4.0F};
  const auto method = MakeMethod(InfoBatch{});
  const auto early = method->Choose(losses, 0, 8, {.seed = 1, .purpose = "test"});
  ASSERT_TRUE(early.has_value());
  EXPECT_THAT(early->rows, SizeIs(2));
  EXPECT_FALSE(method->Choose(losses, 7, 8, {.seed = 1, .purpose = "test"}).has_value());
}

}  // namespace
}  // namespace tidemill::trainer_server
