#include "selector/selector_service.h"

#include <algorithm>
#include <span>
#include <utility>

#include "batch/slice.h"
#include "batch/wire.h"
#include "rpc/callers/job_scope.h"
#include "rpc/grpc_status.h"
#include "rpc/streams/byte_frames.h"
#include "rpc/streams/frame_stream.h"

namespace tidemill::selector {
namespace {

// With its weight.
constexpr int64_t kEntryBytes = 12;
// 1.2 MB a message.
constexpr int64_t kEntriesPerMessage = 102'400;
// Keys of one FindTrainingSets, 8 MB.
constexpr int kMaxSought = 1'000'000;
// Each reads all sets of a dataset.
constexpr int kMaxSearches = 2;
// Sets are verified on them, too.
constexpr int kNumSenders = 2;

// Rows [from, to) of columns of plain numbers, as views.
absl::StatusOr<batch::Batch> PartOf(const batch::Batch& entries, int64_t from, int64_t to) {
  batch::Batch rows(to - from);
  for (const batch::Column& column : entries.columns()) {
    const auto row_bytes = static_cast<size_t>(column.Width()) * batch::SizeOf(column.type);
    batch::Column part{.name = column.name, .type = column.type, .shape = column.shape};
    part.data = column.data.Slice(static_cast<size_t>(from) * row_bytes,
                                  static_cast<size_t>(to - from) * row_bytes);
    RETURN_IF_ERROR(rows.Set(std::move(part)));
  }
  return rows;
}

// A training set, or its late samples, in messages of a part each.
class EntriesSource final : public rpc::FrameSource {
 public:
  EntriesSource(Selector& selector, const grpc::ByteBuffer& request)
      : selector_(selector), request_(request) {}

  int64_t num_bytes_held() const override { return static_cast<int64_t>(request_.Length()); }

  absl::StatusOr<std::optional<grpc::ByteBuffer>> Next(int64_t most_bytes) override {
    if (!is_open_) RETURN_IF_ERROR(Open());
    if (next_ >= end_) return std::optional<grpc::ByteBuffer>();
    const int64_t from = next_;
    next_ = std::min(next_ + std::min(kEntriesPerMessage, most_bytes / kEntryBytes), end_);
    ASSIGN_OR_RETURN(const batch::Batch part, PartOf(entries_, from, next_));
    return std::optional<grpc::ByteBuffer>(
        rpc::MakeFrame(v1::ReadTrainingSetResponse::kBatchFieldNumber, batch::EncodeParts(part)));
  }

 private:
  absl::Status Open() {
    v1::ReadTrainingSetRequest request;
    RETURN_IF_ERROR(rpc::FromBytes(request_, request));
    const RunId run{request.run_id()};
    ASSIGN_OR_RETURN(entries_, request.late() ? selector_.ReadLate(run, request.trigger())
                                              : selector_.Read(run, request.trigger()));
    const int64_t end = request.to_ordinal() == 0 ? entries_.num_rows() : request.to_ordinal();
    next_ = request.from_ordinal();
    end_ = std::min(end, entries_.num_rows());
    if (next_ < 0 || next_ > end) {
      return InvalidArgument("ordinals [{}, {}) are not an interval", next_, end);
    }
    is_open_ = true;
    return absl::OkStatus();
  }

  Selector& selector_;
  const grpc::ByteBuffer request_;
  bool is_open_ = false;
  batch::Batch entries_;
  int64_t next_ = 0;
  int64_t end_ = 0;
};

}  // namespace

SelectorService::SelectorService(Selector& selector, const rpc::StreamLimits& limits)
    : selector_(selector), streams_(limits), senders_("selector.send", kNumSenders) {
  Serve("ReadTrainingSet", {senders_, streams_}, [this](const grpc::ByteBuffer& request) {
    return std::make_unique<EntriesSource>(selector_, request);
  });
}

grpc::Status SelectorService::SealTrainingSet(grpc::ServerContext*,
                                              const v1::SealTrainingSetRequest* request,
                                              v1::SealTrainingSetResponse* response) {
  auto set = selector_.Seal(*request);
  if (!set.ok()) return ToGrpc(set.status());
  *response->mutable_training_set() = *std::move(set);
  return grpc::Status::OK;
}

grpc::Status SelectorService::GetTrainingSet(grpc::ServerContext* context,
                                             const v1::GetTrainingSetRequest* request,
                                             v1::GetTrainingSetResponse* response) {
  RETURN_GRPC_IF_ERROR(rpc::JobScope::OfCall(*context).Check(*request));
  auto set = selector_.Get(RunId{request->run_id()}, request->trigger());
  if (!set.ok()) return ToGrpc(set.status());
  *response->mutable_training_set() = *std::move(set);
  return grpc::Status::OK;
}

grpc::Status SelectorService::ListTrainingSets(grpc::ServerContext*,
                                               const v1::ListTrainingSetsRequest* request,
                                               v1::ListTrainingSetsResponse* response) {
  auto sets = selector_.List(RunId{request->run_id()});
  if (!sets.ok()) return ToGrpc(sets.status());
  for (v1::TrainingSet& set : *sets) *response->add_training_sets() = std::move(set);
  return grpc::Status::OK;
}

grpc::Status SelectorService::CompareTrainingSets(grpc::ServerContext*,
                                                  const v1::CompareTrainingSetsRequest* request,
                                                  v1::CompareTrainingSetsResponse* response) {
  auto comparison = selector_.Compare(*request);
  if (!comparison.ok()) return ToGrpc(comparison.status());
  *response = *std::move(comparison);
  return grpc::Status::OK;
}

grpc::Status SelectorService::FindTrainingSets(
    grpc::ServerContext* context, const v1::FindTrainingSetsRequest* request,
    grpc::ServerWriter<v1::FindTrainingSetsResponse>* writer) {
  if (request->sample_keys_size() > kMaxSought) {
    return ToGrpc(InvalidArgument("{} keys are too many for one call; send at most {} at a time",
                                  request->sample_keys_size(), kMaxSought));
  }
  const auto search = [&](rpc::StreamPermit& permit) {
    const auto send = [&](const v1::FindTrainingSetsResponse& response) -> absl::Status {
      return permit.Write(*writer, response) ? absl::OkStatus() : Cancelled("the caller went away");
    };
    const std::span keys(request->sample_keys().data(),
                         static_cast<size_t>(request->sample_keys_size()));
    return selector_.FindTrainingSets(DatasetId{request->dataset_id()}, keys, send);
  };
  return rpc::WithPlace(streams_, *context, "FindTrainingSets", search, kMaxSearches);
}

grpc::Status SelectorService::RetireTrainingSets(grpc::ServerContext*,
                                                 const v1::RetireTrainingSetsRequest* request,
                                                 v1::RetireTrainingSetsResponse* response) {
  const auto num_removed = selector_.Retire(request->command(), request->first_kept_trigger());
  if (!num_removed.ok()) return ToGrpc(num_removed.status());
  response->set_num_removed(*num_removed);
  return grpc::Status::OK;
}

grpc::Status SelectorService::DeleteRun(grpc::ServerContext*, const v1::DeleteRunRequest* request,
                                        v1::DeleteRunResponse* response) {
  const auto num_deleted = selector_.DeleteRun(request->command());
  if (!num_deleted.ok()) return ToGrpc(num_deleted.status());
  response->set_num_deleted(*num_deleted);
  return grpc::Status::OK;
}

}  // namespace tidemill::selector
