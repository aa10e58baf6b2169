#include "preprocess/worker/late_rows.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "batch/wire.h"
#include "loader/testing/small_set.h"

namespace tidemill::preprocess {
namespace {

using namespace loader::testing;  // NOLINT: the fixtures of this room.
using ::testing::Le;

constexpr char kDelayed[] =
    "- delay: {milliseconds: 20, share: 0.03, per: sample}\n"
    "- parse_csv: {columns: [a]}\n- stack: {columns: all, into: input}\n- label: {into: target}\n";

std::shared_ptr<const loader::BatchMaker> MakerOf(const char* graph) {
  auto maker = loader::BatchMaker::Create(
      {.set = Shared(MakeSet(700)), .reader = ReadSamples, .graph = MakeGraph(graph)}, Plan(64, 2));
  EXPECT_TRUE(maker.ok()) << maker.status().ToString();
  return *std::move(maker);
}

// What a sink was given, by number of the batch.
class Parts {
 public:
  LateRows::Sink sink() {
    return [this](int64_t number, absl::StatusOr<loader::TrainingBatch> part) {
      MutexLock lock(mutex_);
      ASSERT_TRUE(part.ok()) << part.status().ToString();
      parts_[number].push_back(*std::move(part));
    };
  }

  std::map<int64_t, std::vector<loader::TrainingBatch>> All() {
    MutexLock lock(mutex_);
    return parts_;
  }

 private:
  Mutex mutex_;
  std::map<int64_t, std::vector<loader::TrainingBatch>> parts_ ABSL_GUARDED_BY(mutex_);
};

std::map<int64_t, std::vector<loader::TrainingBatch>> MakeAll(
    const std::shared_ptr<const loader::BatchMaker>& maker, std::chrono::microseconds slow_after,
    int num_threads) {
  Parts parts;
  {
    LateRows late(num_threads);
    const auto job = std::make_shared<const LateRows::Job>(
        LateRows::Job{.maker = maker, .slow_after = slow_after, .sink = parts.sink()});
    EXPECT_TRUE(late.Make(job, 0, maker->end(), {}).ok());
  }
  return parts.All();
}

TEST(LateRows, ABatchWithoutLateRowsComesInOnePieceAsItAlwaysDid) {
  const auto maker = MakerOf(kPlainGraph);
  const auto whole = maker->Make(0, maker->end(), {}).value();
  const auto parts = MakeAll(maker, std::chrono::hours{1}, 4);
  ASSERT_EQ(parts.size(), whole.size());
  for (const auto& [number, given] : parts) {
    ASSERT_EQ(given.size(), 1u);
    const loader::TrainingBatch& expected = whole[static_cast<size_t>(number)];
    EXPECT_EQ(batch::Encode(given[0].rows), batch::Encode(expected.rows));
    EXPECT_EQ(given[0].num_skipped, expected.num_skipped);
  }
}

TEST(LateRows, ComeAfterTheOthersOfTheirBatchWithWhatItLacks) {
  const auto maker = MakerOf(kDelayed);
  const auto whole = maker->Make(0, maker->end(), {}).value();
  for (const int num_threads : {1, 3, 40}) {
    const auto parts = MakeAll(maker, std::chrono::microseconds{1}, num_threads);
    ASSERT_EQ(parts.size(), whole.size());
    size_t most = 0;
    for (const auto& [number, given] : parts) {
      const loader::TrainingBatch& expected = whole[static_cast<size_t>(number)];
      std::vector<int64_t> ordinals;
      int64_t num_skipped = 0;
      for (const loader::TrainingBatch& part : given) {
        std::ranges::copy(OrdinalsOf(part), std::back_inserter(ordinals));
        num_skipped += part.num_skipped;
      }
      std::vector<int64_t> all = OrdinalsOf(expected);
      std::ranges::sort(all);
      std::ranges::sort(ordinals);
      EXPECT_EQ(ordinals, all) << number;
      EXPECT_EQ(num_skipped, expected.num_skipped) << number;
      EXPECT_EQ(given.back().reason.empty(), num_skipped == 0);
      EXPECT_THAT(given.size(), Le(2u));
      most = std::max(most, given.size());
    }
    EXPECT_EQ(most, 2u) << "with " << num_threads << " threads no row was late";
  }
}

TEST(LateRows, AGraphThatCannotRunIsReported) {
  const auto maker = MakerOf(kFittedGraph);  // Without what it learns.
  int num_told = 0;
  {
    LateRows late(2);
    const auto job = std::make_shared<const LateRows::Job>(
        LateRows::Job{.maker = maker,
                      .slow_after = std::chrono::hours{1},
                      .sink = [&](int64_t, const absl::StatusOr<loader::TrainingBatch>& part) {
                        EXPECT_EQ(part.status().code(), absl::StatusCode::kFailedPrecondition);
                        ++num_told;
                      }});
    EXPECT_TRUE(late.Make(job, 0, 1, {}).ok());
  }
  EXPECT_EQ(num_told, 1);
}

}  // namespace
}  // namespace tidemill::preprocess
