#include "prepared/prepared_samples.h"

#include <algorithm>

namespace tidemill::prepared {

int64_t RowBytes(const RowColumns& columns) {
  int64_t bytes = 0;
  for (const batch::Column& column : columns) {
    bytes += column.Width() * static_cast<int64_t>(batch::SizeOf(column.type));
  }
  return bytes;
}

void NamedRows::Resize(int64_t num_rows, const RowColumns& columns) {
  const auto size = static_cast<size_t>(num_rows);
  states.assign(size, RowState::kMissing);
  facts.assign(size, {});
  reasons.clear();
  data.clear();
  for (const batch::Column& column : columns) {
    const auto row_bytes = static_cast<size_t>(column.Width()) * batch::SizeOf(column.type);
    data.push_back(batch::Buffer::AllocateUnwritten(size * row_bytes));
  }
}

int64_t NamedRows::NumMissing() const { return std::ranges::count(states, RowState::kMissing); }

}  // namespace tidemill::prepared
