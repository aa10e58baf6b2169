#include "evaluator/reading/rows_in_order.h"

#include <memory>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::evaluator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

loader::TrainingBatch BatchOf(const std::vector<int64_t>& ordinals, int64_t num_skipped) {
  loader::TrainingBatch batch{.num_skipped = num_skipped};
  if (ordinals.empty()) return batch;
  std::vector<int64_t> keys;
  for (const int64_t ordinal : ordinals) keys.push_back(100 + ordinal);
  batch.rows = batch::Batch(std::ssize(ordinals));
  batch.rows.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).IgnoreError();
  batch.rows.Set(batch::MakeColumn<int64_t>(batch::kOrdinalColumn, ordinals)).IgnoreError();
  return batch;
}

class Given final : public loader::BatchSource {
 public:
  explicit Given(std::vector<loader::TrainingBatch> batches) : batches_(std::move(batches)) {}
  int64_t num_samples() const override { return 0; }
  int64_t num_batches() const override { return std::ssize(batches_); }
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override {
    if (next_ == batches_.size()) return std::optional<loader::TrainingBatch>();
    return std::optional(batches_[next_++]);
  }

 private:
  const std::vector<loader::TrainingBatch> batches_;
  size_t next_ = 0;
};

// Batches of four: 1 is filtered, 6 is bad, the third has only filtered ones.
RowsInOrder Rows() {
  return RowsInOrder(
      std::make_unique<Given>(std::vector<loader::TrainingBatch>{
          BatchOf({0, 2, 3}, 0), BatchOf({4, 5, 7}, 1), BatchOf({}, 0), BatchOf({12, 13}, 0)}),
      4);
}

std::vector<int64_t> KeysOf(const RowsInOrder::Taken& taken) {
  if (taken.rows.num_rows() == 0) return {};
  EXPECT_EQ(taken.rows.Find(batch::kOrdinalColumn), nullptr);
  return {taken.rows.keys().begin(), taken.rows.keys().end()};
}

TEST(RowsInOrder, GivesPiecesOfAnySizeAndSaysWhetherTheyMayLackBadSamples) {
  RowsInOrder rows = Rows();
  const auto take = [&](int64_t end) {
    auto taken = rows.TakeTo(end);
    EXPECT_THAT(taken, IsOk());
    return *std::move(taken);
  };
  EXPECT_THAT(KeysOf(take(0)), IsEmpty());
  EXPECT_THAT(KeysOf(take(2)), ElementsAre(100));
  const RowsInOrder::Taken within = take(4);
  EXPECT_THAT(KeysOf(within), ElementsAre(102, 103));
  EXPECT_FALSE(within.may_lack_bad);
  const RowsInOrder::Taken across = take(5);
  EXPECT_THAT(KeysOf(across), ElementsAre(104));
  EXPECT_TRUE(across.may_lack_bad);
  EXPECT_TRUE(take(7).may_lack_bad);
  const RowsInOrder::Taken over_several = take(13);
  EXPECT_THAT(KeysOf(over_several), ElementsAre(107, 112));
  EXPECT_THAT(KeysOf(take(14)), ElementsAre(113));
}

TEST(RowsInOrder, ASourceThatEndsTooEarlyIsAnError) {
  RowsInOrder rows = Rows();
  EXPECT_THAT(rows.TakeTo(17), StatusIs(absl::StatusCode::kInternal, ::testing::_));
}

}  // namespace
}  // namespace tidemill::evaluator
