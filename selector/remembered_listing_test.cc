#include "selector/remembered_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/testing/status_matchers.h"

namespace tidemill::selector {
namespace {

using ::testing::ElementsAre;
using tidemill::testing::IsOk;

batch::Batch RowsOf(const std::vector<int64_t>& keys) {
  batch::Batch rows(std::ssize(keys));
  EXPECT_THAT(rows.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)), IsOk());
  return rows;
}

class RememberedListingTest : public ::testing::Test {
 protected:
  // Lists the keys 1, 2 and 3 in two pieces, with eight bytes each.
  SampleLister Lister() {
    return [this](const auto&, const auto& sink) -> absl::Status {
      ++num_listings_;
      for (const std::vector<int64_t>& keys : {std::vector<int64_t>{1, 2}, {3}}) {
        RETURN_IF_ERROR(sink(RowsOf(keys)));
        RETURN_IF_ERROR(breaks_);
      }
      return absl::OkStatus();
    };
  }

  struct Asked {
    int64_t dataset = 1;
    int64_t committed_key = 0;
    std::string where = {};
  };
  std::vector<int64_t> KeysOf(RememberedListings& listings, const Asked& asked) {
    storage::v1::ListSamplesRequest request;
    request.mutable_snapshot()->set_dataset_id(asked.dataset);
    request.mutable_snapshot()->set_committed_key(asked.committed_key);
    request.set_where(asked.where);
    std::vector<int64_t> keys;
    status_ = listings.List(Lister(), request, [&](const batch::Batch& rows) {
      keys.insert(keys.end(), rows.keys().begin(), rows.keys().end());
      return absl::OkStatus();
    });
    return keys;
  }
  int NumListings(RememberedListings& listings, const Asked& asked) {
    num_listings_ = 0;
    EXPECT_THAT(KeysOf(listings, asked), ElementsAre(1, 2, 3));
    return num_listings_;
  }

  int num_listings_ = 0;
  absl::Status breaks_;
  absl::Status status_;
};

TEST_F(RememberedListingTest, AsksOnceForWhatIsReadTwiceIfThatHasRoom) {
  for (const int64_t room : {24, 23}) {
    RememberedListings listings(room);
    EXPECT_EQ(NumListings(listings, {}), 1);
    EXPECT_EQ(NumListings(listings, {}), room == 24 ? 0 : 1);
  }
}

TEST_F(RememberedListingTest, ForgetsWhatWasUsedLeastRecentlyWhereThereIsNoRoom) {
  RememberedListings listings(50);
  EXPECT_EQ(NumListings(listings, {.dataset = 1}), 1);
  EXPECT_EQ(NumListings(listings, {.dataset = 2}), 1);
  EXPECT_EQ(NumListings(listings, {.dataset = 1}), 0);
  EXPECT_EQ(NumListings(listings, {.dataset = 3}), 1);
  EXPECT_EQ(NumListings(listings, {.dataset = 1}), 0);
  EXPECT_EQ(NumListings(listings, {.dataset = 2}), 1);
}

TEST_F(RememberedListingTest, AnswersOfOneSnapshotOnly) {
  RememberedListings listings(1000);
  EXPECT_EQ(NumListings(listings, {.committed_key = 7}), 1);
  EXPECT_EQ(NumListings(listings, {.committed_key = 8}), 1);
  EXPECT_EQ(NumListings(listings, {.committed_key = 7}), 1);
}

TEST_F(RememberedListingTest, DoesNotKeepWhatDependsOnRecords) {
  RememberedListings listings(1000);
  EXPECT_EQ(NumListings(listings, {.where = "price > 1"}), 1);
  EXPECT_EQ(NumListings(listings, {.where = "price > 1"}), 1);
}

TEST_F(RememberedListingTest, DoesNotTakeABrokenListingForAWholeOne) {
  RememberedListings listings(24);
  breaks_ = Unavailable("storage is gone");
  EXPECT_THAT(KeysOf(listings, {}), ElementsAre(1, 2));
  EXPECT_FALSE(status_.ok());
  breaks_ = absl::OkStatus();
  EXPECT_EQ(NumListings(listings, {}), 1);
  EXPECT_THAT(status_, IsOk());
  EXPECT_EQ(NumListings(listings, {}), 0);
}

TEST_F(RememberedListingTest, KeepsOneOfTwoEqualListingsThatWereReadAtOnce) {
  RememberedListings listings(48);
  storage::v1::ListSamplesRequest request;
  request.mutable_snapshot()->set_dataset_id(1);
  bool is_inner = false;
  const auto read_again = [&](const batch::Batch&) {
    if (!std::exchange(is_inner, true)) {
      EXPECT_THAT(KeysOf(listings, {}), ElementsAre(1, 2, 3));
    }
    return absl::OkStatus();
  };
  EXPECT_THAT(listings.List(Lister(), request, read_again), IsOk());
  EXPECT_EQ(NumListings(listings, {.dataset = 1}), 0);
  EXPECT_EQ(NumListings(listings, {.dataset = 2}), 1);
  EXPECT_EQ(NumListings(listings, {.dataset = 1}), 0) << "there is room for both";
}

TEST_F(RememberedListingTest, ServesSeveralSelectionsAtOnce) {
  RememberedListings listings(60);
  std::vector<std::jthread> selections;
  for (int64_t dataset = 1; dataset <= 4; ++dataset) {
    selections.emplace_back([&listings, dataset] {
      storage::v1::ListSamplesRequest request;
      request.mutable_snapshot()->set_dataset_id(dataset);
      const auto list = [&](const auto&, const auto& sink) { return sink(RowsOf({dataset})); };
      for (int i = 0; i < 1000; ++i) {
        EXPECT_THAT(listings.List(list, request,
                                  [&](const batch::Batch& rows) {
                                    EXPECT_THAT(rows.keys(), ElementsAre(dataset));
                                    return absl::OkStatus();
                                  }),
                    IsOk());
      }
    });
  }
}

}  // namespace
}  // namespace tidemill::selector
