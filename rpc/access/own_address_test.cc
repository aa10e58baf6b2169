#include "rpc/access/own_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace tidemill::rpc {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

TEST(OwnAddress, AnAddressThatWasChosenIsKept) {
  EXPECT_THAT(ReachableEndpoint("10.0.0.7:50058", "storage:50051"), IsOkAndHolds("10.0.0.7:50058"));
  EXPECT_THAT(ReachableEndpoint("unix:/run/worker", "storage:50051"),
              IsOkAndHolds("unix:/run/worker"));
}

TEST(OwnAddress, OfEveryAddressItIsTheOneOfTheRouteToThePeer) {
  EXPECT_THAT(ReachableEndpoint("0.0.0.0:50058", "127.0.0.1:50051"),
              IsOkAndHolds("127.0.0.1:50058"));
  EXPECT_THAT(ReachableEndpoint("0.0.0.0:50058", "unix:/run/storage"),
              IsOkAndHolds("127.0.0.1:50058"));
}

// The others of a stack in containers may start later. A host without any network has no address.
TEST(OwnAddress, WhileThePeerIsUnknownItIsTheOneOfTheDefaultRoute) {
  const auto endpoint = ReachableEndpoint("0.0.0.0:50058", "no-such-host.invalid:50056");
  if (endpoint.ok()) {
    EXPECT_THAT(*endpoint, Not(StartsWith("0.0.0.0")));
    EXPECT_THAT(*endpoint, EndsWith(":50058"));
  } else {
    EXPECT_THAT(endpoint, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no route")));
  }
}

TEST(OwnAddress, ChoosesAPlaceBesideAService) {
  EXPECT_THAT(ChooseEndpoint("worker", "127.0.0.1:50051"), IsOkAndHolds("127.0.0.1:0"));
  EXPECT_THAT(ChooseEndpoint("worker", "storage:50051"), IsOkAndHolds("0.0.0.0:0"));
  const auto socket = ChooseEndpoint("worker", "unix:/run/tidemill/storage");
  ASSERT_TRUE(socket.ok());
  EXPECT_THAT(*socket, StartsWith("unix:/run/tidemill/worker_"));
}

}  // namespace
}  // namespace tidemill::rpc
