#include "rpc/callers/job_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "tidemill/model_store/v1/model_store.pb.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::rpc {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr auto kDenied = absl::StatusCode::kPermissionDenied;

JobScope Scope() {
  v1::JobClaims claims;
  claims.set_holder("train-3-7");
  claims.set_run_id(3);
  claims.add_triggers(7);
  claims.add_dataset_ids(5);
  claims.add_model_ids(11);
  claims.add_file_digests("ab");
  return JobScope(std::move(claims));
}

TEST(JobScope, ReachesWhatItsClaimsName) {
  storage::v1::ReadSamplesRequest samples;
  samples.set_dataset_id(5);
  EXPECT_THAT(Scope().Check(samples), IsOk());
  samples.set_dataset_id(6);
  EXPECT_THAT(Scope().Check(samples),
              StatusIs(kDenied, HasSubstr("the token of train-3-7 does not reach dataset_id 6")));
  EXPECT_THAT(JobScope().Check(samples), IsOk()) << "a service's token reaches everything";

  selector::v1::ReadTrainingSetRequest set;
  set.set_run_id(3);
  set.set_trigger(7);
  EXPECT_THAT(Scope().Check(set), IsOk());
  set.set_trigger(8);
  EXPECT_THAT(Scope().Check(set), StatusIs(kDenied, HasSubstr("trigger 8")));
  set.set_run_id(4);
  EXPECT_THAT(Scope().Check(set), StatusIs(kDenied, HasSubstr("run_id 4")));

  model_store::v1::ReadFileRequest file;
  file.set_digest("ab");
  EXPECT_THAT(Scope().Check(file), IsOk());
  file.set_digest("");
  EXPECT_THAT(Scope().Check(file), StatusIs(kDenied, HasSubstr("digest")));
}

TEST(JobScope, LooksIntoPartsOfRequests) {
  storage::v1::ListSamplesRequest request;
  EXPECT_THAT(Scope().Check(request), StatusIs(kDenied, HasSubstr("ListSamplesRequest")));
  request.mutable_snapshot()->set_dataset_id(5);
  EXPECT_THAT(Scope().Check(request), IsOk());
  request.mutable_snapshot()->set_dataset_id(0);
  EXPECT_THAT(Scope().Check(request), StatusIs(kDenied, HasSubstr("dataset_id 0")));
}

TEST(JobScope, CommandsOfOtherRunsAreBeyondIt) {
  storage::v1::QuarantineSamplesRequest request;
  request.set_dataset_id(5);
  EXPECT_THAT(Scope().Check(request), IsOk());
  request.mutable_command()->set_run_id(3);
  EXPECT_THAT(Scope().Check(request), IsOk());
  request.mutable_command()->set_run_id(4);
  EXPECT_THAT(Scope().Check(request), StatusIs(kDenied, HasSubstr("run 4")));
  EXPECT_THAT(Scope().CheckCommand(request.command()), StatusIs(kDenied, HasSubstr("run 4")));
}

TEST(JobScope, AJobChangesWhatItHasMadeAndNothingElse) {
  EXPECT_THAT(Scope().CheckHolder("train-3-7"), IsOk());
  EXPECT_THAT(Scope().CheckHolder("train-3-8"), StatusIs(kDenied, HasSubstr("another job")));
  EXPECT_THAT(Scope().CheckHolder(""), StatusIs(kDenied, HasSubstr("another job")));
  EXPECT_THAT(JobScope().CheckHolder("train-3-8"), IsOk());
}

}  // namespace
}  // namespace tidemill::rpc
