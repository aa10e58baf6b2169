// The rows of a segment before they are written as column files.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/segments/nullable_values.h"

namespace tidemill::storage {

// The columns of a segment while they are being made.
struct SegmentRows {
  std::vector<int64_t> byte_from;
  std::vector<int64_t> byte_to;
  std::vector<int64_t> event_time;
  NullableValues<int64_t> class_label;
  NullableValues<double> real_label;
  std::vector<int64_t> hash;
  std::vector<int64_t> file_id;  // Empty, or as long as the others.

  int64_t num_rows() const { return static_cast<int64_t>(byte_from.size()); }
};

}  // namespace tidemill::storage
