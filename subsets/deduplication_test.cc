#include "subsets/deduplication.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "subsets/distances.h"
#include "subsets/testing/random_rows.h"

namespace tidemill::subsets {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::OwnedRows;
using testing::RandomRows;
using ::testing::SizeIs;

const std::vector<float> kTwoAlike = {1, 0, 0.99F, 0.14107F, 0, 1, 0.6F, 0.8F};

DeduplicationOptions AlikeWithin(double epsilon, KeepAlike keep = KeepAlike::kFirst) {
  return {.epsilon = epsilon, .keep = keep, .random = {.purpose = "deduplication_test"}};
}

Choice KeptOf(const Rows& rows, const DeduplicationOptions& options, WorkerPool* pool = nullptr) {
  const std::vector<float> values = Normalised(rows);
  return LeaveOutAlike({values, rows.num_rows, rows.width}, options, pool);
}

TEST(Deduplication, LeavesOutWhatTheReferenceDoes) {
  EXPECT_THAT(KeptOf({kTwoAlike, 4, 2}, AlikeWithin(0.05)).rows, ElementsAre(0, 2, 3));
  EXPECT_THAT(KeptOf({kTwoAlike, 4, 2}, AlikeWithin(0.3)).rows, ElementsAre(0, 2));
}

TEST(Deduplication, LetsARowThatWentMakeOthersGo) {
  // Ten degrees between neighbours of a chain: each is alike only the one before.
  std::vector<float> chain;
  for (int i = 0; i < 5; ++i) {
    chain.push_back(static_cast<float>(std::cos(i * M_PI / 18)));
    chain.push_back(static_cast<float>(std::sin(i * M_PI / 18)));
  }
  EXPECT_THAT(KeptOf({chain, 5, 2}, AlikeWithin(0.02)).rows, ElementsAre(0));
}

TEST(Deduplication, KeepsTheFarthestOrTheNearestOfItsCluster) {
  // Three directions; the mean is nearest to the second, farthest from the last.
  const std::vector<float> rows = {1, 0, 0.999F, 0.0447F, 0.99F, 0.141F};
  EXPECT_THAT(KeptOf({rows, 3, 2}, AlikeWithin(0.05, KeepAlike::kFarthest)).rows, ElementsAre(2));
  EXPECT_THAT(KeptOf({rows, 3, 2}, AlikeWithin(0.05, KeepAlike::kNearest)).rows, ElementsAre(1));
  EXPECT_THAT(KeptOf({rows, 3, 2}, AlikeWithin(0.05, KeepAlike::kFirst)).rows, ElementsAre(0));
}

TEST(Deduplication, KeepsOneOfManyEqualRowsAndIgnoresLengths) {
  const std::vector<float> rows = {1, 1, 2, 2, 5, 5, -1, -1, 300, 300};
  EXPECT_THAT(KeptOf({rows, 5, 2}, AlikeWithin(0.05)).rows, ElementsAre(0, 3));
}

TEST(Deduplication, KeepsAllWhenNothingMayBeAlike) {
  const std::vector<float> same(20, 0.3F);
  EXPECT_THAT(KeptOf({same, 10, 2}, AlikeWithin(0)).rows, SizeIs(10));
}

TEST(Deduplication, KeepsRowsOfZeros) {
  const std::vector<float> rows = {0, 0, 0, 0, 1, 0};
  EXPECT_THAT(KeptOf({rows, 3, 2}, AlikeWithin(0.5)).rows, ElementsAre(0, 1, 2));
}

TEST(Deduplication, OfNoneOrOneIsThat) {
  EXPECT_THAT(KeptOf({{}, 0, 2}, AlikeWithin(0.05)).rows, IsEmpty());
  EXPECT_THAT(KeptOf({kTwoAlike, 1, 2}, AlikeWithin(0.05)).rows, ElementsAre(0));
}

TEST(Deduplication, DoesNotDependOnThreads) {
  const OwnedRows owned = RandomRows(2000, 4, 5);
  WorkerPool pool("deduplication", 3);
  DeduplicationOptions options = AlikeWithin(0.01, KeepAlike::kFarthest);
  options.num_clusters = 12;
  const Choice one = KeptOf(owned.rows(), options);
  EXPECT_LT(one.rows.size(), 1900);
  EXPECT_GT(one.rows.size(), 100);
  EXPECT_EQ(one.rows, KeptOf(owned.rows(), options, &pool).rows);
}

}  // namespace
}  // namespace tidemill::subsets
