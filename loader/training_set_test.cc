#include "loader/training_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/testing/status_matchers.h"

namespace tidemill::loader {
namespace {

using ::testing::ElementsAre;
using tidemill::testing::IsOk;

// The keys that a read of some ordinals asks for.
std::vector<int64_t> KeysRead(const TrainingSet& set, const std::vector<int64_t>& ordinals) {
  std::vector<int64_t> asked;
  const SampleReader reader = [&](std::span<const int64_t> keys, const SampleSink& sink) {
    asked.insert(asked.end(), keys.begin(), keys.end());
    batch::Batch samples(std::ssize(keys));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
    return sink(std::move(samples), {});
  };
  const auto keep = [](batch::Batch&, Rows&) { return absl::OkStatus(); };
  const auto rows = ReadRows(set, ordinals, reader, 100, keep, {});
  EXPECT_THAT(rows, IsOk());
  EXPECT_EQ(rows->num_missing, 0);
  return asked;
}

TEST(TrainingSet, KeysAreTheSameWhetherTheyAreKnownToBeConsecutiveOrNot) {
  TrainingSet set{.keys = {70, 71, 72, 73}};
  EXPECT_THAT(KeysRead(set, {3, 0, 2, 3}), ElementsAre(73, 70, 72, 73));
  set.first_of_consecutive = 70;
  EXPECT_THAT(KeysRead(set, {3, 0, 2, 3}), ElementsAre(73, 70, 72, 73));
}

}  // namespace
}  // namespace tidemill::loader
