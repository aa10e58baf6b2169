#include "storage/testing/direct_client.h"

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::storage::testing {

DirectClient::DirectClient(const Storage& storage)
    : storage_(storage), reader_(storage.process.PeerAs(rpc::v1::ROLE_SERVICE)) {}

ReadResult DirectClient::Read(const std::vector<int64_t>& keys,
                              const std::function<void()>& after_first_block) {
  ReadResult result;
  const auto sink = [&](const batch::Batch& rows, const std::vector<v1::MissingSample>& missing) {
    AppendTo(result, rows, missing);
    if (result.num_blocks == 1 && after_first_block) after_first_block();
    return absl::OkStatus();
  };
  const auto other_way = [&](std::span<const int64_t> some, const direct::SampleSink& into) {
    left_to_grpc_.insert(left_to_grpc_.end(), some.begin(), some.end());
    return storage_.service.ReadSamples(storage_.id, some, into);
  };
  const auto done = reader_.Read(storage_.id, keys, sink, other_way);
  EXPECT_THAT(done, ::tidemill::testing::IsOk());
  num_done_ = *done;
  return result;
}

}  // namespace tidemill::storage::testing
