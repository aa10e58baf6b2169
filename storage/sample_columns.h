// Collects the columns that blocks of samples carry: key, event_time, class_label, real_label.
#pragma once

#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "storage/dataset_index.h"

namespace tidemill::storage {

// Thread-compatible.
class SampleColumns {
 public:
  void Add(const SampleLocation& location);
  int64_t num_rows() const { return static_cast<int64_t>(keys_.size()); }

  // A batch of what was added, without the labels if not `with_labels`.
  absl::StatusOr<batch::Batch> Finish(bool with_labels) const;

 private:
  std::vector<int64_t> keys_;
  std::vector<int64_t> event_times_;
  std::vector<int64_t> class_labels_;
  std::vector<bool> has_class_label_;
  std::vector<double> real_labels_;
  std::vector<bool> has_real_label_;
};

}  // namespace tidemill::storage
