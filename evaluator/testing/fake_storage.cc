#include "evaluator/testing/fake_storage.h"

#include <tuple>

#include "batch/wire.h"
#include "evaluator/testing/samples.h"

namespace tidemill::evaluator::testing {
namespace {

// Rows of one message, so that streams have several.
constexpr int64_t kRows = 3;

using Position = std::tuple<int64_t, int64_t>;

Position PositionOf(const rpc::v1::Cut& cut) { return {cut.event_time(), cut.sample_key()}; }

}  // namespace

batch::Batch FakeStorage::SampleOf(int64_t key) const {
  batch::Batch sample = odd_.broken.contains(key) ? SamplesOf({"no number,LOW"}, {0}, key - 1)
                                                  : Samples(key - 1, key);
  if (!odd_.unlabelled.contains(key)) return sample;
  batch::Column classes = *sample.Find(batch::kClassLabelColumn);
  classes.validity = batch::Buffer::Allocate(1);
  sample.Set(classes).IgnoreError();
  return sample;
}

grpc::Status FakeStorage::ListSamples(
    grpc::ServerContext*, const storage::v1::ListSamplesRequest* request,
    grpc::ServerWriter<storage::v1::ListSamplesResponse>* writer) {
  for (int64_t i = 0; i < num_samples_; ++i) {
    const Position position{10 * i, i + 1};
    if (request->has_from() && position < PositionOf(request->from())) continue;
    if (request->has_to() && position >= PositionOf(request->to())) continue;
    batch::Batch batch = SampleOf(i + 1);
    batch.Drop(batch::kPayloadColumn);
    if (odd_.unlabelled.contains(i + 1)) batch.Drop(batch::kClassLabelColumn);
    storage::v1::ListSamplesResponse response;
    response.set_batch(batch::Encode(batch));
    writer->Write(response);
  }
  return grpc::Status::OK;
}

grpc::Status FakeStorage::FindIdentities(grpc::ServerContext*,
                                         const storage::v1::FindIdentitiesRequest* request,
                                         storage::v1::FindIdentitiesResponse* response) {
  for (const int64_t key : request->sample_keys()) {
    const bool is_gone = odd_.unreadable.contains(key) || odd_.deleted.contains(key);
    const uint64_t version = odd_.broken.contains(key) ? 2 : 1;
    response->add_identities(is_gone ? 0 : static_cast<uint64_t>(key) * 10 + version);
  }
  return grpc::Status::OK;
}

grpc::Status FakeStorage::ReadSamples(
    grpc::ServerContext*, const storage::v1::ReadSamplesRequest* request,
    grpc::ServerWriter<storage::v1::ReadSamplesResponse>* writer) {
  num_samples_read_ += request->sample_keys_size();
  for (int first = 0; first < request->sample_keys_size(); first += kRows) {
    storage::v1::ReadSamplesResponse response;
    std::vector<batch::Batch> rows;
    for (int i = first; i < std::min<int>(first + kRows, request->sample_keys_size()); ++i) {
      const int64_t key = request->sample_keys(i);
      if (odd_.unreadable.contains(key) || odd_.deleted.contains(key)) {
        storage::v1::MissingSample& missing = *response.add_missing();
        missing.set_sample_key(key);
        missing.set_deleted(odd_.deleted.contains(key));
      } else {
        rows.push_back(SampleOf(key));
      }
    }
    const auto batch = rows.empty() ? Samples(0, 0) : *batch::Concatenate(rows);
    response.set_batch(batch::Encode(batch));
    writer->Write(response);
  }
  return grpc::Status::OK;
}

}  // namespace tidemill::evaluator::testing
