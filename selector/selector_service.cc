#include "selector/selector_service.h"

#include <algorithm>
#include <utility>

#include "batch/slice.h"
#include "batch/wire.h"
#include "rpc/grpc_status.h"

namespace tidemill::selector {
namespace {

// 1.2 MB a message with weights.
constexpr int64_t kEntriesPerMessage = 102'400;

// Sends one slice of the entries after another, as fast as the reader takes them.
class EntriesWriter final : public grpc::ServerWriteReactor<v1::ReadTrainingSetResponse> {
 public:
  EntriesWriter(absl::StatusOr<batch::Batch> entries, const v1::ReadTrainingSetRequest& request) {
    if (!entries.ok()) {
      Finish(ToGrpc(entries.status()));
      return;
    }
    entries_ = *std::move(entries);
    const int64_t end = request.to_ordinal() == 0 ? entries_.num_rows() : request.to_ordinal();
    next_ = request.from_ordinal();
    end_ = std::min(end, entries_.num_rows());
    if (next_ < 0 || next_ > end) {
      Finish(ToGrpc(InvalidArgument("ordinals [{}, {}) are no interval", next_, end)));
      return;
    }
    WriteNext();
  }

  void OnWriteDone(bool ok) override {
    if (ok) {
      WriteNext();
    } else {
      Finish(grpc::Status(grpc::StatusCode::CANCELLED, "the reader has gone"));
    }
  }
  void OnDone() override { delete this; }

 private:
  void WriteNext() {
    if (next_ >= end_) {
      Finish(grpc::Status::OK);
      return;
    }
    const int64_t to = std::min(next_ + kEntriesPerMessage, end_);
    response_.set_batch(batch::Encode(batch::Slice(entries_, next_, to)));
    next_ = to;
    StartWrite(&response_);
  }

  batch::Batch entries_;
  int64_t next_ = 0;
  int64_t end_ = 0;
  v1::ReadTrainingSetResponse response_;
};

}  // namespace

SelectorService::SelectorService(Selector& selector) : selector_(selector) {}

grpc::Status SelectorService::SealTrainingSet(grpc::ServerContext*,
                                              const v1::SealTrainingSetRequest* request,
                                              v1::SealTrainingSetResponse* response) {
  auto set = selector_.Seal(*request);
  if (!set.ok()) return ToGrpc(set.status());
  *response->mutable_training_set() = *std::move(set);
  return grpc::Status::OK;
}

grpc::Status SelectorService::GetTrainingSet(grpc::ServerContext*,
                                             const v1::GetTrainingSetRequest* request,
                                             v1::GetTrainingSetResponse* response) {
  auto set = selector_.Get(RunId{request->run_id()}, request->trigger());
  if (!set.ok()) return ToGrpc(set.status());
  *response->mutable_training_set() = *std::move(set);
  return grpc::Status::OK;
}

grpc::ServerWriteReactor<v1::ReadTrainingSetResponse>* SelectorService::ReadTrainingSet(
    grpc::CallbackServerContext*, const v1::ReadTrainingSetRequest* request) {
  const RunId run{request->run_id()};
  return new EntriesWriter(request->late() ? selector_.ReadLate(run, request->trigger())
                                           : selector_.Read(run, request->trigger()),
                           *request);
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
