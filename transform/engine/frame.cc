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

bool Frame::AddText(int64_t row, std::string_view column, size_t num_bytes) {
  if (num_bytes > 0) {
    text_bytes_.resize(static_cast<size_t>(num_rows()));
    text_bytes_[row] += num_bytes;
    num_text_bytes_ += num_bytes;
  }
  if (num_text_bytes_ <= kMaxTextBytes) return true;
  if (num_rows() > 1) {
    has_too_many_texts_ = true;
  } else {
    Reject(row,
           fmt::format("{}: the texts that ops make of the sample have more than 16 MiB", column));
  }
  return false;
}

void Frame::TakeTexts(const Frame& earlier, std::span<const int64_t> rows) {
  if (earlier.text_bytes_.empty()) return;
  for (const int64_t row : rows) {
    text_bytes_.push_back(earlier.text_bytes_[row]);
    num_text_bytes_ += earlier.text_bytes_[row];
  }
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
