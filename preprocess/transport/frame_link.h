// The consumer's end of a link over gRPC.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "grpcpp/grpcpp.h"
#include "grpcpp/support/client_callback.h"

#include "base/mutex.h"
#include "preprocess/transport/batch_frame.h"
#include "preprocess/transport/batch_link.h"

namespace tidemill::preprocess {

// One stream of ReadBatches. It has no thread of its own: batches are decoded and delivered where
// gRPC receives them.
class FrameLink final : public BatchLink,
                        private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // `peer` has the worker's endpoint. `open` is complete.
  FrameLink(const rpc::Peer& peer, const v1::ReadBatchesRequest::Open& open, LinkHandler handler);
  ~FrameLink() override;

  void Grant(int64_t bytes, std::span<const int64_t> wanted) override ABSL_LOCKS_EXCLUDED(mutex_);
  LinkCounters counters() const override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void OnReadDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnWriteDone(bool ok) override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnDone(const grpc::Status& status) override ABSL_LOCKS_EXCLUDED(mutex_);
  // Sends the grants, unless a write is in progress.
  void Flush() ABSL_LOCKS_EXCLUDED(mutex_);
  // Delivers a message. Returns false when the stream cannot be used any more.
  bool Deliver() ABSL_LOCKS_EXCLUDED(mutex_);
  void Count(const DecodedFrame& frame) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status EndOf(const grpc::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const LinkHandler handler_;
  const std::stop_token stop_;
  grpc::ClientContext context_;
  grpc::ByteBuffer incoming_;  // gRPC uses it while it reads.
  FrameDecoder decoder_;       // Belongs to the reader.
  grpc::ByteBuffer outgoing_;  // gRPC uses it while `writing_`.
  mutable Mutex mutex_;
  CondVar changed_;
  int64_t credit_ ABSL_GUARDED_BY(mutex_) = 0;           // Granted and not sent.
  std::vector<int64_t> wanted_ ABSL_GUARDED_BY(mutex_);  // The last wanted batches.
  bool has_grant_ ABSL_GUARDED_BY(mutex_) = false;       // Whether there is something to send.
  bool writing_ ABSL_GUARDED_BY(mutex_) = true;
  // There is nothing more to read, so nothing is written any more.
  bool is_drained_ ABSL_GUARDED_BY(mutex_) = false;
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_done_ ABSL_GUARDED_BY(mutex_) = false;  // Whether gRPC has finished with it.
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);  // The failure of a received message.
  LinkCounters counters_ ABSL_GUARDED_BY(mutex_) = {.transport = "frames"};
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace tidemill::preprocess
