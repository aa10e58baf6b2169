// Batches in steps.
#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "batch/wire.h"
#include "loader/batches/batch_maker.h"
#include "loader/testing/small_set.h"

namespace tidemill::loader {
namespace {

using namespace testing;  // NOLINT: the fixtures of this room.
using ::testing::Le;

std::unique_ptr<const BatchMaker> MakerOf(const char* graph) {
  BatchPlan plan = Plan(16, 3);
  plan.num_slices = 2;
  plan.slice = 1;
  auto maker = BatchMaker::Create(
      {.set = Shared(MakeSet(503)), .reader = ReadSamples, .graph = MakeGraph(graph)}, plan);
  EXPECT_TRUE(maker.ok()) << maker.status().ToString();
  return *std::move(maker);
}

// Runs the graph over the groups for which `takes` holds.
template <typename Takes>
Rows RowsOf(const BatchMaker& maker, const RowGroups& batch, const Takes& takes) {
  Rows rows{.bad = batch.bad};
  for (size_t i = 0; i < batch.groups.size(); ++i) {
    if (!takes(i)) continue;
    Rows group = maker.row_groups().RunGraph(batch.number, batch.groups[i]).value();
    std::ranges::move(group.pieces, std::back_inserter(rows.pieces));
    std::ranges::move(group.bad, std::back_inserter(rows.bad));
  }
  return rows;
}

TEST(RowGroups, PutTogetherAreTheBatch) {
  for (const char* const graph : {kPlainGraph, kRandomGraph}) {
    const auto maker = MakerOf(graph);
    const auto whole = maker->Make(0, maker->end(), {}).value();
    const auto batches = maker->row_groups().Read(0, maker->end(), 3, {}).value();
    ASSERT_EQ(batches.size(), whole.size());
    for (size_t number = 0; number < whole.size(); ++number) {
      const auto& batch = batches[number];
      EXPECT_EQ(std::ssize(batch.wanted), maker->SamplesOf(static_cast<int64_t>(number)));
      for (const batch::Batch& group : batch.groups) EXPECT_THAT(group.num_rows(), Le(3));
      const Rows rows = RowsOf(*maker, batch, [](size_t) { return true; });
      const TrainingBatch made =
          maker->row_groups().PutTogether(batch.number, batch.wanted, rows).value();
      EXPECT_EQ(made.epoch, whole[number].epoch);
      EXPECT_EQ(made.index, whole[number].index);
      EXPECT_EQ(made.num_skipped, whole[number].num_skipped);
      EXPECT_EQ(made.reason.empty(), whole[number].reason.empty());
      EXPECT_EQ(batch::Encode(made.rows), batch::Encode(whole[number].rows)) << number;
    }
  }
}

TEST(RowGroups, SomeOfThemAreTheirRowsAndTheOthersTheRestWithItsHoles) {
  const auto maker = MakerOf(kPlainGraph);
  const auto whole = maker->Make(0, maker->num_batches(), {}).value();
  int64_t num_skipped = 0;
  const auto batches = maker->row_groups().Read(0, maker->num_batches(), 2, {}).value();
  for (const RowGroups& batch : batches) {
    const Rows odd = RowsOf(*maker, batch, [](size_t i) { return i % 2 == 1; });
    std::vector<int64_t> own;
    for (const batch::Batch& piece : odd.pieces) {
      if (piece.num_rows() == 0) continue;
      std::ranges::copy(piece.Find("ordinal")->Values<int64_t>(), std::back_inserter(own));
    }
    std::vector<int64_t> rest = batch.wanted;
    std::erase_if(rest, [&](int64_t ordinal) { return std::ranges::count(own, ordinal) > 0; });
    const TrainingBatch first = maker->row_groups().PutTogether(batch.number, own, odd).value();
    const TrainingBatch second =
        maker->row_groups()
            .PutTogether(batch.number, rest,
                         RowsOf(*maker, batch, [](size_t i) { return i % 2 == 0; }))
            .value();
    EXPECT_EQ(first.num_skipped, 0);
    std::vector<int64_t> all = OrdinalsOf(first);
    std::ranges::copy(OrdinalsOf(second), std::back_inserter(all));
    std::vector<int64_t> expected = OrdinalsOf(whole[static_cast<size_t>(batch.number)]);
    std::ranges::sort(all);
    std::ranges::sort(expected);
    EXPECT_EQ(all, expected);
    EXPECT_EQ(second.num_skipped, whole[static_cast<size_t>(batch.number)].num_skipped);
    num_skipped += second.num_skipped;
  }
  EXPECT_GT(num_skipped, 0) << "the set has samples that cannot be read";
}

}  // namespace
}  // namespace tidemill::loader
