// The labels of a dataset's stream in order, as far as one asks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/status.h"
#include "storage/client/storage_client.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::evaluator {

// One of the two counts: which one, the dataset says.
struct Label {
  int64_t of_class = 0;
  double value = 0;
};

struct TimedLabel {
  int64_t event_time = 0;
  Label label;
};

// A place in the stream; copies go on from there by themselves. Samples without a label are passed
// over. Thread-compatible.
class LabelStream {
 public:
  // `storage` must outlive it. Without `from` it stands at the beginning.
  LabelStream(const storage::StorageClient& storage, rpc::v1::Snapshot snapshot,
              std::optional<rpc::v1::Cut> from, bool is_class)
      : storage_(&storage),
        snapshot_(std::move(snapshot)),
        position_(std::move(from)),
        is_class_(is_class) {}

  // Gives `sink` the labels from where it stands up to `to`, and stands there then. Nothing happens
  // when it has passed `to`. Codes of StorageClient::ListSamples, after which it is of no use.
  absl::Status ReadTo(const rpc::v1::Cut& to, const std::function<void(const TimedLabel&)>& sink);

  // Whether it has given labels that are not before `cut`.
  bool IsBehind(const rpc::v1::Cut& cut) const;

 private:
  absl::Status Give(const batch::Batch& samples,
                    const std::function<void(const TimedLabel&)>& sink) const;

  const storage::StorageClient* storage_;
  rpc::v1::Snapshot snapshot_;
  std::optional<rpc::v1::Cut> position_;
  bool is_class_;
};

}  // namespace tidemill::evaluator
