#include "selector/remembered_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace tidemill::selector {
namespace {

using ::testing::ElementsAre;
using tidemill::testing::IsOk;

class RememberedListingTest : public ::testing::Test {
 protected:
  // Lists the keys 1, 2 and 3 in two pieces, with eight bytes each.
  SampleLister Lister() {
    return [this](const auto&, const auto& sink) -> absl::Status {
      ++num_listings_;
      for (const std::vector<int64_t>& keys : {std::vector<int64_t>{1, 2}, {3}}) {
        batch::Batch rows(std::ssize(keys));
        RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
        RETURN_IF_ERROR(sink(std::move(rows)));
        RETURN_IF_ERROR(breaks_);
      }
      return absl::OkStatus();
    };
  }

  std::vector<int64_t> KeysOf(RememberedListing& listing, int64_t dataset = 1) {
    storage::v1::ListSamplesRequest request;
    request.mutable_snapshot()->set_dataset_id(dataset);
    std::vector<int64_t> keys;
    status_ = listing.List(request, [&](const batch::Batch& rows) {
      keys.insert(keys.end(), rows.keys().begin(), rows.keys().end());
      return absl::OkStatus();
    });
    return keys;
  }

  int num_listings_ = 0;
  absl::Status breaks_;
  absl::Status status_;
};

TEST_F(RememberedListingTest, AsksOnceForWhatIsReadTwiceIfThatHasRoom) {
  const SampleLister lister = Lister();
  for (const int64_t room : {24, 23}) {
    RememberedListing listing(lister, room);
    num_listings_ = 0;
    EXPECT_THAT(KeysOf(listing), ElementsAre(1, 2, 3));
    EXPECT_THAT(KeysOf(listing), ElementsAre(1, 2, 3));
    EXPECT_EQ(num_listings_, room == 24 ? 1 : 2);
  }
}

TEST_F(RememberedListingTest, KeepsListingsAsLongAsThereIsRoom) {
  const SampleLister lister = Lister();
  RememberedListing listing(lister, 50);
  for (const int64_t dataset : {1, 2, 3}) KeysOf(listing, dataset);
  EXPECT_EQ(num_listings_, 3);
  KeysOf(listing, 1);
  KeysOf(listing, 2);
  EXPECT_EQ(num_listings_, 3);
  KeysOf(listing, 3);
  EXPECT_EQ(num_listings_, 4);
}

TEST_F(RememberedListingTest, DoesNotTakeABrokenListingForAWholeOne) {
  const SampleLister lister = Lister();
  RememberedListing listing(lister, 100);
  breaks_ = Unavailable("storage is gone");
  EXPECT_THAT(KeysOf(listing), ElementsAre(1, 2));
  EXPECT_FALSE(status_.ok());
  breaks_ = absl::OkStatus();
  EXPECT_THAT(KeysOf(listing), ElementsAre(1, 2, 3));
  EXPECT_THAT(status_, IsOk());
  EXPECT_EQ(num_listings_, 2);
}

}  // namespace
}  // namespace tidemill::selector
