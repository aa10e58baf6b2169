// What is known of labels at a moment, and no more: how often each was seen, and the last one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "evaluator/job/label_stream.h"

namespace tidemill::evaluator {

struct LabelCounts {
  int64_t num_labels = 0;
  std::map<int64_t, int64_t> classes;  // How often each; empty for real labels.
  double sum = 0;                      // Of real labels.

  void Add(const Label& label, bool is_class);
};

// Counts the labels of a stream before one cut after the other. Cuts that ascend cost one pass over
// the stream; one that does not begins anew. Thread-compatible.
class CountedLabels {
 public:
  CountedLabels(LabelStream stream, bool is_class)
      : beginning_(std::move(stream)), stream_(beginning_), is_class_(is_class) {}

  absl::StatusOr<LabelCounts> Before(const rpc::v1::Cut& cut);

 private:
  const LabelStream beginning_;
  LabelStream stream_;
  const bool is_class_;
  LabelCounts counts_;
};

// For samples of a stream the last label that is known at their time: of an earlier sample that is
// at least the delay older. Samples of one time know nothing of each other, whatever their order.
// Thread-compatible.
class LastLabels {
 public:
  LastLabels(LabelStream stream, Duration delay)
      : beginning_(std::move(stream)), before_(beginning_), within_(beginning_), delay_(delay) {}

  // Goes to the beginning of a window. Windows that ascend cost one pass over the stream.
  absl::Status Enter(const rpc::v1::Cut& from);

  // For samples at these times, which ascend from the window's beginning on and from call to call;
  // std::nullopt where nothing is known yet.
  absl::StatusOr<std::vector<std::optional<Label>>> At(std::span<const int64_t> times);

 private:
  // Labels before it are known at `time`.
  rpc::v1::Cut KnownAt(int64_t time) const;

  const LabelStream beginning_;
  LabelStream before_;  // Goes from window to window.
  std::optional<Label> last_before_;
  LabelStream within_;  // Goes through the window.
  std::optional<Label> last_;
  const Duration delay_;
};

}  // namespace tidemill::evaluator
