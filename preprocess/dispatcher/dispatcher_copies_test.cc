// Copies of a worker, which have one configuration.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "preprocess/dispatcher/dispatcher.h"
#include "preprocess/dispatcher/testing/dispatcher_fixture.h"

namespace tidemill::preprocess {
namespace {

using ::testing::_;
using testing::DispatcherTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// Containers that docker-compose or Kubernetes starts of one configuration.
v1::RegisterWorkerRequest CopyOn(const std::string& host, const std::string& endpoint) {
  v1::RegisterWorkerRequest request;
  request.set_host(host);
  request.set_endpoint(endpoint);
  request.set_num_threads(2);
  return request;
}

TEST_F(DispatcherTest, CopiesOfAWorkerHaveNamesOfTheirHostAndEndOnlyThemselves) {
  std::vector<Incarnation> copies;
  for (int i = 0; i < 10; ++i) {
    copies.push_back(
        *life_->RegisterWorker(CopyOn("pod", "10.0.0." + std::to_string(i) + ":50058")));
  }
  std::vector<std::string> names;
  const v1::ListWorkersResponse listed = life_->ListWorkers();
  for (const v1::Worker& worker : listed.workers()) {
    names.push_back(worker.name());
    EXPECT_EQ(worker.state(), v1::WORKER_STATE_ALIVE);
  }
  EXPECT_THAT(names, ElementsAre("pod", "pod-2", "pod-3", "pod-4", "pod-5", "pod-6", "pod-7",
                                 "pod-8", "pod-9", "pod-10"));
  // The same process again, after it was given up: it stays the same worker.
  v1::RegisterWorkerRequest again = CopyOn("pod", "10.0.0.2:50058");
  again.mutable_continues()->set_worker_id(copies[2].member_id);
  again.mutable_continues()->set_incarnation(copies[2].number);
  const auto third = life_->RegisterWorker(again);
  ASSERT_THAT(third, IsOk());
  EXPECT_EQ(third->member_id, copies[2].member_id);
  EXPECT_GT(third->number, copies[2].number);
  EXPECT_THAT(life_.Lease(copies[3], 0), IsOk());
  EXPECT_THAT(life_.Lease(copies[2], 0), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(DispatcherTest, AWorkerAtTheAddressOfAnotherOneReplacesIt) {
  const auto first = life_->RegisterWorker(CopyOn("pod-a", "10.0.0.1:50058"));
  const auto other = life_->RegisterWorker(CopyOn("pod-b", "10.0.0.2:50058"));
  const auto second = life_->RegisterWorker(CopyOn("pod-c", "10.0.0.1:50058"));
  EXPECT_THAT(life_.Lease(*first, 0),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("replaced at its address by pod-c")));
  EXPECT_THAT(life_.Lease(*other, 0), IsOk());
  EXPECT_THAT(life_.Lease(*second, 0), IsOk());
}

TEST_F(DispatcherTest, AWorkerThatAnEngineHasStartedIsBusyWhileItHoldsASplit) {
  const int64_t job = life_.CreateJob({});
  v1::RegisterWorkerRequest request = CopyOn("pod", "10.0.0.1:50058");
  request.set_started_as("workers/3");
  const Incarnation worker = *life_->RegisterWorker(request);
  life_.Register("by hand");
  ASSERT_THAT(life_.Report({.job_id = job, .connected = {worker}}), IsOk());
  EXPECT_FALSE(life_->StartedMembers("workers").at(0).busy);
  EXPECT_THAT(Lease(worker, 1, "first"), SizeIs(1));
  const std::vector<engine::KnownMember> members = life_->StartedMembers("workers");
  ASSERT_THAT(members, SizeIs(1));
  EXPECT_EQ(members[0].number, 3);
  EXPECT_EQ(members[0].name, "pod");
  EXPECT_TRUE(members[0].busy);
  EXPECT_THAT(life_->StartedMembers("trainers"), IsEmpty());
}

}  // namespace
}  // namespace tidemill::preprocess
