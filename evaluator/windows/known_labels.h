// The labels that are known at a given time: how often each was seen, and the last one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "evaluator/windows/label_stream.h"

namespace tidemill::evaluator {

struct LabelCounts {
  int64_t num_labels = 0;
  std::map<int64_t, int64_t> classes;  // How often each class was seen. Empty for real labels.
  double sum = 0;                      // The sum of real labels.

  void Add(const Label& label, bool is_class);
};

// Counts the labels of a stream before a cut, for one cut after the other. Ascending cuts cost one
// pass over the stream. A cut before the previous one starts the pass again.
// Thread-compatible.
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

// Finds, for each sample of a stream, the last label that is known at its time. It is the label of
// an earlier sample that is older by the label delay at least. Samples of the same time do not know
// each other's labels. Thread-compatible.
class LastLabels {
 public:
  LastLabels(LabelStream stream, Duration delay)
      : beginning_(std::move(stream)), before_(beginning_), within_(beginning_), delay_(delay) {}

  // Goes to the beginning of a window. Ascending windows cost one pass over the stream.
  absl::Status Enter(const rpc::v1::Cut& from);

  // Returns the last known label at each of `times`. The times ascend from the beginning of the
  // window, and from call to call. std::nullopt when no label is known yet.
  absl::StatusOr<std::vector<std::optional<Label>>> At(std::span<const int64_t> times);

 private:
  // Returns the cut before which labels are known at `time`.
  rpc::v1::Cut KnownAt(int64_t time) const;

  const LabelStream beginning_;
  LabelStream before_;  // Moves from window to window.
  std::optional<Label> last_before_;
  LabelStream within_;  // Moves through the window.
  std::optional<Label> last_;
  const Duration delay_;
};

}  // namespace tidemill::evaluator
