#include "rpc/grpc_status.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/status.h"
#include "config/documents/problems.h"

namespace tidemill {
namespace {

using ::testing::HasSubstr;

absl::Status WithFindings(const std::string& message) {
  config::Problems problems;
  problems.Add({.file = "p.yaml", .position = {3, 4}, .message = message});
  return problems.ToStatus();
}

TEST(GrpcStatus, KeepsCodeMessageAndFindings) {
  const absl::Status sent = WithFindings("wrong");
  const absl::Status received = FromGrpc(ToGrpc(sent));
  EXPECT_EQ(received.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(received.message(), sent.message());
  ASSERT_EQ(config::FindingsOf(received).size(), 1u);
  EXPECT_EQ(config::FindingsOf(received)[0].Place(), "p.yaml:3:4");
  EXPECT_TRUE(FromGrpc(ToGrpc(absl::OkStatus())).ok());
}

TEST(GrpcStatus, LeavesOutFindingsForWhichAHeaderHasNoRoom) {
  const absl::Status received = FromGrpc(ToGrpc(WithFindings(std::string(4'000, 'x'))));
  EXPECT_THAT(std::string(received.message()), HasSubstr(std::string(4'000, 'x')));
  EXPECT_TRUE(config::FindingsOf(received).empty());
}

TEST(GrpcStatus, CutsAMessageForWhichAHeaderHasNoRoom) {
  const grpc::Status sent = ToGrpc(WithFindings(std::string(9'000, 'x')));
  EXPECT_LT(sent.error_message().size(), kMaxReasonBytes + 100);
  EXPECT_THAT(sent.error_message(), HasSubstr("bytes are not shown"));
  EXPECT_EQ(sent.error_details(), "");
}

}  // namespace
}  // namespace tidemill
