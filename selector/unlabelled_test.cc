// Samples without a label are never candidates.
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "selector/candidate_listing.h"

namespace tidemill::selector {
namespace {

using ::testing::ElementsAre;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr char kLabelled[] =
    "{path: /data, format: {type: csv, columns: [t, y]}, label: {column: y}, "
    "event_time: {column: t}}";

// Ten samples of which those of odd seconds have class 1, the others none; the last two come in a
// batch that has no labels at all.
absl::Status ListHalfLabelled(const storage::v1::ListSamplesRequest&,
                              const std::function<absl::Status(batch::Batch)>& sink) {
  for (const auto& [from, to] : {std::pair(0, 8), std::pair(8, 10)}) {
    std::vector<int64_t> keys, classes;
    for (int i = from; i < to; ++i) keys.push_back(i);
    classes.assign(keys.size(), 1);
    batch::Batch batch(to - from);
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
    RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, keys)));
    if (from == 0) {
      batch::Column labels = batch::MakeColumn<int64_t>(batch::kClassLabelColumn, classes);
      labels.validity = batch::Buffer::Allocate(1);
      labels.validity.mutable_data()[0] = std::byte{0b10101010};
      RETURN_IF_ERROR(batch.Set(std::move(labels)));
    }
    RETURN_IF_ERROR(sink(std::move(batch)));
  }
  return absl::OkStatus();
}

struct Listed {
  std::vector<int64_t> keys;
  std::vector<int64_t> labels;
  int64_t num_unlabelled = 0;
};

Listed ListFor(const std::string& dataset_spec) {
  v1::SealTrainingSetRequest request;
  request.set_trigger(1);
  request.set_dataset_spec(dataset_spec);
  const auto policy = config::Read<SelectionSpec>("new_data", "selection");
  const auto listing = ListingOf(request, *policy);
  EXPECT_THAT(listing, IsOk());
  Listed all;
  EXPECT_THAT(ForEachCandidate(
                  ListHalfLabelled, *listing, nullptr,
                  [&](const Candidates& some) {
                    all.keys.insert(all.keys.end(), some.keys.begin(), some.keys.end());
                    all.labels.insert(all.labels.end(), some.labels.begin(), some.labels.end());
                    all.num_unlabelled += some.num_unlabelled;
                    return absl::OkStatus();
                  }),
              IsOk());
  return all;
}

TEST(Unlabelled, SamplesAreNotCandidatesWhereTheDatasetHasLabels) {
  const Listed all = ListFor(kLabelled);
  EXPECT_THAT(all.keys, ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(all.labels, ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(all.num_unlabelled, 6);
}

TEST(Unlabelled, SamplesAreCandidatesOfADatasetWithoutLabels) {
  const Listed all = ListFor("{path: /data, format: {type: csv, columns: [t, y]}}");
  EXPECT_EQ(all.keys.size(), 10u);
  EXPECT_EQ(all.num_unlabelled, 0);
}

TEST(Unlabelled, ADatasetsSpecThatDoesNotDecodeIsRefused) {
  v1::SealTrainingSetRequest request;
  request.set_dataset_spec("{nothing: here}");
  EXPECT_THAT(ListingOf(request, *config::Read<SelectionSpec>("new_data", "selection")),
              StatusIs(absl::StatusCode::kInvalidArgument, ::testing::_));
}

}  // namespace
}  // namespace tidemill::selector
