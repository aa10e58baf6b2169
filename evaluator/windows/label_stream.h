// Reads the labels of a dataset's stream in order, as far as they are needed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/status.h"
#include "storage/client/storage_client.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::evaluator {

// A class or a real label. The dataset decides which of the two counts.
struct Label {
  int64_t of_class = 0;
  double value = 0;
};

struct TimedLabel {
  int64_t event_time = 0;
  Label label;
};

// A position in the stream. Each copy continues from there on its own. Samples without a label are
// skipped. Thread-compatible.
class LabelStream {
 public:
  // `storage` must outlive this object. Without `from`, the position is the beginning.
  LabelStream(const storage::StorageClient& storage, rpc::v1::Snapshot snapshot,
              std::optional<rpc::v1::Cut> from, bool is_class)
      : storage_(&storage),
        snapshot_(std::move(snapshot)),
        position_(std::move(from)),
        is_class_(is_class) {}

  // Gives `sink` the labels from the current position up to `to`, and moves there. Does nothing
  // when the position has passed `to`. Returns the errors of StorageClient::ListSamples. After an
  // error the object cannot be used any more.
  absl::Status ReadTo(const rpc::v1::Cut& to, const std::function<void(const TimedLabel&)>& sink);

  // Whether it has returned labels that are not before `cut`.
  bool HasPassed(const rpc::v1::Cut& cut) const;

 private:
  absl::Status Give(const batch::Batch& samples,
                    const std::function<void(const TimedLabel&)>& sink) const;

  const storage::StorageClient* storage_;
  rpc::v1::Snapshot snapshot_;
  std::optional<rpc::v1::Cut> position_;
  bool is_class_;
};

}  // namespace tidemill::evaluator
