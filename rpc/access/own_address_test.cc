#include "rpc/access/own_address.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"

namespace tidemill::rpc {
namespace {

using ::testing::StartsWith;
using ::tidemill::testing::IsOkAndHolds;
using ::tidemill::testing::StatusIs;

TEST(ReachableEndpoint, IsTheAddressOfTheRouteWhereAllAddressesAreServed) {
  EXPECT_THAT(ReachableEndpoint("0.0.0.0:50058", "127.0.0.1:50057"),
              IsOkAndHolds("127.0.0.1:50058"));
  EXPECT_THAT(ReachableEndpoint("[::]:50058", "localhost:50057"),
              IsOkAndHolds(::testing::EndsWith(":50058")));
  EXPECT_THAT(ReachableEndpoint("0.0.0.0:50058", "unix:/run/dispatcher"),
              IsOkAndHolds("127.0.0.1:50058"));
}

TEST(ReachableEndpoint, IsWhatIsServedWhereThatIsOneAddress) {
  EXPECT_THAT(ReachableEndpoint("gpu-7:7006", "127.0.0.1:1"), IsOkAndHolds("gpu-7:7006"));
  EXPECT_THAT(ReachableEndpoint("unix:/run/w", "gpu-7:1"), IsOkAndHolds("unix:/run/w"));
}

TEST(ReachableEndpoint, NamesAHostThatIsNotKnown) {
  EXPECT_THAT(ReachableEndpoint("0.0.0.0:1", "no.such.host.invalid:1"),
              StatusIs(absl::StatusCode::kUnavailable, StartsWith("host no.such.host.invalid:")));
}

TEST(ChooseEndpoint, IsBesideTheServicesThatAreCalled) {
  EXPECT_THAT(ChooseEndpoint("worker", "unix:/run/tidemill/storage"),
              IsOkAndHolds(StartsWith("unix:/run/tidemill/worker_")));
  EXPECT_THAT(ChooseEndpoint("worker", "127.0.0.1:50051"), IsOkAndHolds("127.0.0.1:0"));
  EXPECT_THAT(ChooseEndpoint("worker", "storage:50051"), IsOkAndHolds("0.0.0.0:0"));
}

}  // namespace
}  // namespace tidemill::rpc
