#include "storage/client/storage_client.h"

#include <atomic>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "rpc/grpc_status.h"
#include "rpc/server.h"
#include "rpc/testing/token_folder.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::storage {
namespace {

using ::testing::SizeIs;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

constexpr DatasetId kDataset{3};

// Its first stream breaks; all others are whole.
class BreakingStorage final : public v1::StorageService::Service {
 public:
  void BreakWith(const absl::Status& why) { breaks_with_ = why; }
  int num_streams() const { return num_streams_; }

  grpc::Status SyncDataset(grpc::ServerContext* /*context*/, const v1::SyncDatasetRequest* request,
                           grpc::ServerWriter<v1::SyncDatasetResponse>* writer) override {
    if (++num_streams_ == 1) return ToGrpc(breaks_with_);
    v1::SyncDatasetResponse message;
    message.mutable_snapshot()->set_dataset_id(request->dataset_id());
    writer->Write(message);
    return grpc::Status::OK;
  }

  grpc::Status ListQuarantine(grpc::ServerContext* /*context*/,
                              const v1::ListQuarantineRequest* /*request*/,
                              grpc::ServerWriter<v1::ListQuarantineResponse>* writer) override {
    writer->Write(v1::ListQuarantineResponse());
    if (++num_streams_ == 1) return ToGrpc(breaks_with_);
    writer->Write(v1::ListQuarantineResponse());
    return grpc::Status::OK;
  }

 private:
  absl::Status breaks_with_;
  std::atomic<int> num_streams_ = 0;
};

class BrokenStream : public ::testing::Test {
 protected:
  const rpc::testing::TokenFolder folder_;
  BreakingStorage storage_;
  const std::unique_ptr<rpc::Server> server_ = *rpc::Server::Start(
      {.listen = "unix:" + folder_.path() + "/socket"}, folder_.tokens(), {&storage_});
  const StorageClient client_{
      {.endpoint = server_->endpoint(), .token = folder_.TokenOf(rpc::v1::ROLE_SERVICE)}};
};

class BrokenSync : public BrokenStream, public ::testing::WithParamInterface<absl::StatusCode> {};

TEST_P(BrokenSync, EndsWithWhatStorageSaidAndIsNotRepeated) {
  storage_.BreakWith(absl::Status(GetParam(), "the sync broke"));
  EXPECT_THAT(client_.SyncDataset(kDataset, nullptr), StatusIs(GetParam(), "the sync broke"));
  EXPECT_EQ(storage_.num_streams(), 1);
}

// Other streams are repeated after the first two.
INSTANTIATE_TEST_SUITE_P(OfEachCode, BrokenSync,
                         ::testing::Values(absl::StatusCode::kUnavailable,
                                           absl::StatusCode::kResourceExhausted,
                                           absl::StatusCode::kDataLoss));

TEST_F(BrokenStream, OfAListIsReadAgainFromItsBeginning) {
  storage_.BreakWith(Unavailable("the list broke"));
  EXPECT_THAT(client_.ListQuarantine(kDataset, /*limit=*/0), IsOkAndHolds(SizeIs(2)));
  EXPECT_EQ(storage_.num_streams(), 2);
}

}  // namespace
}  // namespace tidemill::storage
