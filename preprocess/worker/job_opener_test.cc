#include "preprocess/worker/job_opener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "config/config.h"

namespace tidemill::preprocess {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::StatusIs;

// A job of preprocessing that the process of a training of run 3, trigger 7, has made.
v1::GetJobResponse JobOf(JobSpec spec) {
  spec.order = models::InStreamOrder();
  v1::GetJobResponse job;
  job.set_name("run-3/trigger-7/x");
  job.set_spec(config::Print(spec));
  job.mutable_scope()->set_holder("train-3-7");
  job.mutable_scope()->set_run_id(3);
  job.mutable_scope()->add_triggers(7);
  job.mutable_scope()->add_dataset_ids(5);
  return job;
}

// The worker has the rights of a service. No service is asked before it refuses.
TEST(JobOpener, OpensForAJobWhatTheJobMayReachAndNothingElse) {
  const auto open = MakeJobOpener({.endpoint = "unix:/nowhere", .token = "service"},
                                  {.endpoint = "unix:/nowhere", .token = "service"});
  const auto denied = [](const char* what) {
    return StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr(what));
  };
  EXPECT_THAT(open(JobOf({.run_id = 3, .trigger = 7, .dataset_id = 6})).status(),
              denied("dataset_id 6"));
  EXPECT_THAT(open(JobOf({.run_id = 3, .trigger = 8, .dataset_id = 5})).status(),
              denied("trigger 8"));
  EXPECT_THAT(open(JobOf({.run_id = 4, .trigger = 7, .dataset_id = 5})).status(),
              denied("run_id 4"));
  v1::GetJobResponse of_keys = JobOf({.run_id = 4, .trigger = 7, .dataset_id = 6});
  of_keys.mutable_samples()->add_key_steps(1);
  EXPECT_THAT(open(of_keys).status(), denied("dataset_id 6"));
}

}  // namespace
}  // namespace tidemill::preprocess
