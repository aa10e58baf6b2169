#include "storage/client/sample_stream.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "batch/wire.h"
#include "rpc/streams/byte_frames.h"
#include "rpc/streams/frame_reader.h"
#include "rpc/streams/stream_patience.h"

namespace tidemill::storage {

namespace {

constexpr char kListMethod[] = "/tidemill.storage.v1.StorageService/ListSamples";
constexpr char kReadMethod[] = "/tidemill.storage.v1.StorageService/ReadSamples";
// Keys of one ReadSamples call: a few blocks, so that the calls in flight are gathered side by
// side.
constexpr size_t kKeysPerCall = 32'768;
// One block that is read and two that storage gathers at the same time.
constexpr size_t kCallsInFlight = 3;

batch::Batch WithoutFirstRows(const batch::Batch& rows, int64_t count) {
  std::vector<int64_t> rest(static_cast<size_t>(rows.num_rows() - count));
  std::iota(rest.begin(), rest.end(), count);
  return rows.Take(rest);
}

// Zeros that live forever.
batch::Buffer Zeros(size_t size) {
  alignas(64) static char zeros[size_t{65'536} * 8];  // Never written, so no memory until read.
  return size <= sizeof(zeros) ? batch::Buffer::Wrap(zeros, size, nullptr)
                               : batch::Buffer::Allocate(size);
}

// Storage leaves out a label that no row has.
absl::Status RestoreLabels(batch::Batch& rows) {
  using batch::DataType;
  const auto num_rows = static_cast<size_t>(rows.num_rows());
  for (const auto& [name, type] : {std::pair(batch::kClassLabelColumn, DataType::kInt64),
                                   std::pair(batch::kRealLabelColumn, DataType::kFloat64)}) {
    if (num_rows == 0 || rows.Find(name) != nullptr) continue;
    RETURN_IF_ERROR(rows.Set({.name = std::string(name),
                              .type = type,
                              .data = Zeros(num_rows * 8),
                              .validity = Zeros((num_rows + 7) / 8)}));
  }
  return absl::OkStatus();
}

absl::StatusOr<batch::Batch> TakeBatch(const grpc::ByteBuffer& message) {
  ASSIGN_OR_RETURN(const rpc::Frame frame,
                   rpc::TakeFrame(message, v1::ListSamplesResponse::kBatchFieldNumber));
  return batch::Decode(frame.bulk);
}

// The answer to some keys.
struct Block {
  batch::Batch rows;
  std::vector<v1::MissingSample> missing;

  size_t num_answered() const { return static_cast<size_t>(rows.num_rows()) + missing.size(); }
};

absl::StatusOr<Block> BlockOf(const grpc::ByteBuffer& message) {
  ASSIGN_OR_RETURN(const rpc::Frame frame,
                   rpc::TakeFrame(message, v1::ReadSamplesResponse::kBatchFieldNumber));
  v1::ReadSamplesResponse others;
  if (!others.ParseFromString(frame.rest)) {
    return DataLoss("storage sent a message that is not a ReadSamplesResponse");
  }
  Block block;
  ASSIGN_OR_RETURN(block.rows, batch::Decode(frame.bulk));
  RETURN_IF_ERROR(RestoreLabels(block.rows));
  block.missing.assign(others.missing().begin(), others.missing().end());
  return block;
}

// One ReadSamples of a client. Belongs to its thread.
class SampleStream {
 public:
  SampleStream(StorageConnection& connection, DatasetId dataset, std::span<const int64_t> keys,
               const StorageClient::SampleSink& sink)
      : connection_(connection),
        dataset_(dataset),
        rest_(keys),
        sink_(sink),
        patience_(connection.peer, *connection.channel) {}

  absl::Status Run() {
    while (!rest_.empty()) {
      RETURN_IF_ERROR(ReadUntilBroken());
      if (rest_.empty()) break;
      calls_.clear();
      num_asked_ = 0;
      RETURN_IF_ERROR(patience_.Wait(broken_));
    }
    return absl::OkStatus();
  }

 private:
  struct Call {
    size_t num_unanswered;
    std::unique_ptr<rpc::FrameReader> reader;
  };

  // Fails with what cannot be fixed; `broken_` says what perhaps can, once it returns before the
  // rest is empty.
  absl::Status ReadUntilBroken() {
    for (OpenCalls(); !calls_.empty(); OpenCalls()) {
      Call& call = calls_.front();
      const auto message = call.reader->Next();
      if (!message.ok()) {
        broken_ = message.status();
        return absl::OkStatus();
      }
      if (message->has_value()) {
        patience_.Arrived();
        RETURN_IF_ERROR(Deliver(**message, call));
      } else if (call.num_unanswered > 0) {
        return Internal("storage left {} keys unanswered", call.num_unanswered);
      } else {
        calls_.pop_front();
      }
    }
    return absl::OkStatus();
  }

  void OpenCalls() {
    while (calls_.size() < kCallsInFlight && num_asked_ < rest_.size()) {
      const std::span<const int64_t> keys =
          rest_.subspan(num_asked_, std::min(rest_.size() - num_asked_, kKeysPerCall));
      v1::ReadSamplesRequest request;
      request.set_dataset_id(dataset_.value);
      request.mutable_sample_keys()->Assign(keys.begin(), keys.end());
      calls_.push_back({keys.size(), std::make_unique<rpc::FrameReader>(
                                         connection_.peer, connection_.channel, kReadMethod,
                                         rpc::ToBytes(request), connection_.credits)});
      num_asked_ += keys.size();
    }
  }

  absl::Status Deliver(const grpc::ByteBuffer& message, Call& call) {
    ASSIGN_OR_RETURN(Block block, BlockOf(message));
    const size_t num_answered = block.num_answered();
    if (num_answered > call.num_unanswered) {
      return Internal("storage answered only {} keys of {}", num_answered, call.num_unanswered);
    }
    call.num_unanswered -= num_answered;
    num_asked_ -= num_answered;
    rest_ = rest_.subspan(num_answered);
    return sink_(std::move(block.rows), std::move(block.missing));
  }

  StorageConnection& connection_;
  const DatasetId dataset_;
  std::span<const int64_t> rest_;  // Not yet delivered.
  const StorageClient::SampleSink& sink_;
  rpc::StreamPatience patience_;
  absl::Status broken_;
  std::deque<Call> calls_;  // In the order of their keys, which are the first of the rest.
  size_t num_asked_ = 0;
};

}  // namespace

absl::Status StreamList(StorageConnection& connection, const v1::ListSamplesRequest& request,
                        const StorageClient::BatchSink& sink) {
  rpc::StreamPatience patience(connection.peer, *connection.channel);
  int64_t num_delivered = 0;
  while (true) {
    rpc::FrameReader reader(connection.peer, connection.channel, kListMethod, rpc::ToBytes(request),
                            connection.credits);
    int64_t num_to_skip = num_delivered;
    absl::StatusOr<std::optional<grpc::ByteBuffer>> message = reader.Next();
    for (; message.ok() && message->has_value(); message = reader.Next()) {
      patience.Arrived();
      ASSIGN_OR_RETURN(batch::Batch rows, TakeBatch(**message));
      if (request.with_labels()) RETURN_IF_ERROR(RestoreLabels(rows));
      const int64_t num_known = std::min(num_to_skip, rows.num_rows());
      num_to_skip -= num_known;
      if (num_known == rows.num_rows()) continue;
      if (num_known > 0) rows = WithoutFirstRows(rows, num_known);
      num_delivered += rows.num_rows();
      RETURN_IF_ERROR(sink(std::move(rows)));
    }
    if (message.ok()) return absl::OkStatus();
    RETURN_IF_ERROR(patience.Wait(message.status()));
  }
}

absl::Status StreamSamples(StorageConnection& connection, DatasetId dataset,
                           std::span<const int64_t> keys, const StorageClient::SampleSink& sink) {
  return SampleStream(connection, dataset, keys, sink).Run();
}

}  // namespace tidemill::storage
