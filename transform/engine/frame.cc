#include "transform/engine/frame.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "base/check.h"

namespace tidemill::transform {

Frame::Frame(const batch::Batch& samples, int num_slots, const RunContext& context)
    : samples_(samples), context_(context), columns_(num_slots), is_bad_(samples.num_rows(), 0) {}

void Frame::Reject(int64_t row, std::string reason) {
  TIDEMILL_CHECK(row >= 0 && row < num_rows());
  if (is_bad_[row] != 0) return;
  is_bad_[row] = 1;
  bad_.push_back({row, std::move(reason)});
}

void Frame::Filter(int64_t row) {
  TIDEMILL_DCHECK(row >= 0 && row < num_rows());
  if (is_bad_[row] != 0) return;
  is_bad_[row] = 1;
  ++num_filtered_;
}

std::vector<BadSample> Frame::TakeBad() {
  std::sort(bad_.begin(), bad_.end(),
            [](const BadSample& a, const BadSample& b) { return a.row < b.row; });
  return std::exchange(bad_, {});
}

std::vector<int64_t> Frame::GoodRows() const {
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(num_rows() - num_bad() - num_filtered_));
  for (int64_t row = 0; row < num_rows(); ++row) {
    if (!IsBad(row)) rows.push_back(row);
  }
  return rows;
}

std::string Quoted(std::string_view text) {
  constexpr size_t kMaxShown = 40;
  std::string quoted = "'";
  for (const char c : text.substr(0, kMaxShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  quoted += text.size() > kMaxShown ? "...'" : "'";
  return quoted;
}

}  // namespace tidemill::transform
