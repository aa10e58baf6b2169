#include "transform/engine/remaining_rows.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tidemill::transform {

RemainingRows::RemainingRows(const batch::Batch& samples, int num_slots, const RunContext& context)
    : frame_(std::in_place, samples, num_slots, context) {}

void RemainingRows::CollectBad() {
  for (BadSample& bad : frame_->TakeBad()) {
    if (!rows_.empty()) bad.row = rows_[static_cast<size_t>(bad.row)];
    bad_.push_back(std::move(bad));
  }
}

absl::Status RemainingRows::DropIfWorth() {
  const std::vector<int64_t> good = frame_->GoodRows();
  // Copying what remains costs about as much as a cheap op on it.
  constexpr int64_t kWorth = 4;
  const int64_t num_lost = frame_->num_rows() - std::ssize(good);
  if (num_lost * kWorth < frame_->num_rows() || num_lost == 0) return absl::OkStatus();
  // Columns of different slots may have the same name.
  batch::Batch columns(frame_->num_rows());
  std::vector<int> slots;
  for (int slot = 0; slot < frame_->num_slots(); ++slot) {
    batch::Column column = frame_->Get(slot);
    if (column.name.empty()) continue;
    column.name = std::to_string(slot);
    RETURN_IF_ERROR(columns.Set(std::move(column)));
    slots.push_back(slot);
  }
  const batch::Batch taken = columns.Take(good);
  std::vector<batch::Column> remaining = taken.columns();
  for (size_t i = 0; i < slots.size(); ++i) remaining[i].name = frame_->Get(slots[i]).name;
  batch::Batch kept = frame_->samples().Take(good);
  std::vector<int64_t> rows;
  for (const int64_t row : good)
    rows.push_back(rows_.empty() ? row : rows_[static_cast<size_t>(row)]);
  num_filtered_ += frame_->num_filtered();
  CollectBad();
  const int num_slots = frame_->num_slots();
  const RunContext context = frame_->context();
  const Frame earlier = *std::move(frame_);
  kept_ = std::move(kept);
  rows_ = std::move(rows);
  frame_.emplace(*kept_, num_slots, context);
  frame_->TakeTexts(earlier, good);
  for (size_t i = 0; i < slots.size(); ++i) frame_->Set(slots[i], std::move(remaining[i]));
  return absl::OkStatus();
}

std::vector<int64_t> RemainingRows::GoodRows() const {
  std::vector<int64_t> good = frame_->GoodRows();
  if (rows_.empty()) return good;
  for (int64_t& row : good) row = rows_[static_cast<size_t>(row)];
  return good;
}

std::vector<BadSample> RemainingRows::TakeBad() {
  CollectBad();
  std::ranges::sort(bad_, {}, &BadSample::row);
  return std::exchange(bad_, {});
}

}  // namespace tidemill::transform
