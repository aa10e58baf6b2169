// Only samples that a selection's `where` is true for are candidates.
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "selector/candidate_listing.h"
#include "storage/client/storage_client.h"

namespace tidemill::selector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr char kSpec[] =
    "{path: /data, format: {type: csv, columns: [t, y]}, label: {column: y}, "
    "event_time: {column: t}}";

// Six samples, all of class 1 except the last, which has none. The samples with even keys match.
absl::Status ListSix(const storage::v1::ListSamplesRequest& request,
                     const std::function<absl::Status(batch::Batch)>& sink) {
  const std::vector<int64_t> keys = {0, 1, 2, 3, 4, 6};
  const std::vector<int64_t> classes(6, 1);
  batch::Batch batch(6);
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, keys)));
  batch::Column labels = batch::MakeColumn<int64_t>(batch::kClassLabelColumn, classes);
  labels.validity = batch::Buffer::Allocate(1);
  labels.validity.mutable_data()[0] = std::byte{0b00011111};
  RETURN_IF_ERROR(batch.Set(std::move(labels)));
  if (!request.where().empty()) {
    const std::vector<uint8_t> matches = {1, 0, 1, 0, 1, 1};
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<uint8_t>(storage::kMatchesColumn, matches)));
  }
  return sink(std::move(batch));
}

TEST(Where, LeavesOutCandidatesAndCountsThem) {
  v1::SealTrainingSetRequest request;
  request.set_trigger(1);
  request.set_dataset_spec(kSpec);
  const auto policy =
      config::Read<SelectionSpec>("{type: new_data, where: \"@time > '1970-01-01'\"}", "selection");
  ASSERT_THAT(policy, IsOk());
  const auto listing = ListingOf(request, *policy);
  ASSERT_THAT(listing, IsOk());
  EXPECT_EQ(listing->candidates.where(), "@time > '1970-01-01'");
  std::vector<int64_t> keys;
  int64_t num_filtered = 0;
  int64_t num_unlabelled = 0;
  EXPECT_THAT(ForEachCandidate(ListSix, *listing, nullptr,
                               [&](const Candidates& some) {
                                 keys.insert(keys.end(), some.keys.begin(), some.keys.end());
                                 num_filtered += some.num_filtered;
                                 num_unlabelled += some.num_unlabelled;
                                 return absl::OkStatus();
                               }),
              IsOk());
  EXPECT_THAT(keys, ElementsAre(0, 2, 4));
  EXPECT_EQ(num_filtered, 2);
  EXPECT_EQ(num_unlabelled, 1);
}

TEST(Where, IsPartOfEveryPolicyAndReportsMistakes) {
  for (const std::string policy :
       {"type: new_data", "type: all_data", "type: uniform, fraction: .5", "type: freshness",
        "type: reservoir, samples: 5", "type: balanced, samples: 5"}) {
    const auto good = config::Read<SelectionSpec>("{" + policy + ", where: a > 1}", "selection");
    ASSERT_THAT(good, IsOk()) << policy;
    EXPECT_EQ((*good)->TakesFrom().where, "a > 1") << policy;
    EXPECT_THAT(config::Read<SelectionSpec>("{" + policy + ", where: a >}", "selection").status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("column 4 of 'a >'")))
        << policy;
  }
}

TEST(Where, HoldsDuringTheWarmUp) {
  for (const std::string pool : {"over: all", "over: new", "tail: 2"}) {
    const auto policy = config::Read<SelectionSpec>(
        "{type: uniform, samples: 5, warmup_triggers: 3, where: a > 1, " + pool + "}", "selection");
    ASSERT_THAT(policy, IsOk());
    EXPECT_EQ((*policy)->PolicyAt(1)->TakesFrom().where, "a > 1") << pool;
  }
}

}  // namespace
}  // namespace tidemill::selector
