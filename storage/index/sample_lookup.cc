#include "storage/index/sample_lookup.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/check.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

namespace {

// Leaves room for the other columns in a message of rpc::kMaxMessageBytes.
constexpr int64_t kMaxPayloadBytes = int64_t{15} << 20;

// Rows for which room is made at a time.
constexpr size_t kRoom = 1024;

// A series' samples are windows of records.
int64_t RecordBytesOf(const DatasetSpec& spec) {
  return spec.series ? 0 : spec.format->RecordBytes().value_or(0);
}

// Brings the bits up to date with the number of rows.
template <typename T>
void CutLabels(size_t num_rows, LabelRows<T>& labels) {
  if (num_rows % 8 != 0) {
    labels.validity.back() &= static_cast<uint8_t>((1U << num_rows % 8) - 1);
  }
  labels.num_valid = 0;
  for (const uint8_t byte : labels.validity) {
    labels.num_valid += static_cast<size_t>(std::popcount(byte));
  }
}

}  // namespace

void SampleRows::Clear() {
  Resize(0);
  class_label.num_valid = 0;
  real_label.num_valid = 0;
  problems.clear();
  num_keys = 0;
}

void SampleRows::CutAt(size_t row) {
  TIDEMILL_CHECK(row > 0 && row < num_rows());
  num_keys = position[row];
  std::erase_if(problems, [&](const Problem& problem) { return problem.position >= num_keys; });
  Resize(row);
  CutLabels(row, class_label);
  CutLabels(row, real_label);
}

void SampleRows::Resize(size_t num_rows) {
  key.resize(num_rows);
  position.resize(num_rows);
  file.resize(num_rows);
  byte_from.resize(num_rows);
  size.resize(num_rows);
  hash.resize(num_rows);
  event_time.resize(num_rows);
  class_label.Resize(num_rows);
  real_label.Resize(num_rows);
}

SampleLookup::SampleLookup(const DatasetIndex& index)
    : index_(index),
      cut_(CutOf(index.spec())),
      record_bytes_(RecordBytesOf(index.spec())),
      has_real_labels_(EffectiveLabel(index.spec()).kind == LabelKind::kReal),
      has_tombstones_(!index.parts().tombstones->empty()) {}

// Into the second cache, and inlined by force: see Prefetch() in gather.cc.
[[gnu::always_inline]] inline void SampleLookup::LookAhead(std::span<const int64_t> keys,
                                                           Places& places) {
  places.count = std::min(keys.size(), kStep);
  for (size_t i = 0; i < places.count; ++i) {
    const int64_t key = keys[i];
    const IndexedSegment* const segment = index_.SegmentOf(key);
    places.is_deleted[i] =
        segment != nullptr && has_tombstones_ && index_.IsDeleted(key, index_.tombstone_sequence());
    places.segment[i] = segment;
    if (segment == nullptr || places.is_deleted[i] || !segment->columns->IsReadyForLookup()) {
      places.place[i] = nullptr;
      continue;
    }
    const SegmentColumns& columns = *segment->columns;
    const auto row = static_cast<size_t>(key - segment->first_key);
    places.place[i] = &columns.lookup[row];
    __builtin_prefetch(places.place[i], 0, 2);
    if (record_bytes_ == 0) __builtin_prefetch(&columns.byte_to[row], 0, 2);
    if (!columns.file_id.empty()) __builtin_prefetch(&columns.file_id[row], 0, 2);
  }
}

int64_t SampleLookup::SizeAt(const Places& places, size_t i) const {
  // A vanished record is at -1, whatever its size.
  if (record_bytes_ > 0) return record_bytes_;
  return places.segment[i]->columns->byte_to[places.RowOf(i)] - places.place[i]->byte_from;
}

void SampleLookup::Fill(std::span<const int64_t> keys, const Places& places, size_t from, size_t to,
                        SampleRows& rows) {
  const size_t at = num_rows_;
  // As far as the compiler knows, a store to one column might change the pointer to another.
  int64_t* __restrict const key = rows.key.data() + at;
  uint32_t* __restrict const position = rows.position.data() + at;
  FileId* __restrict const file = rows.file.data() + at;
  int64_t* __restrict const byte_from = rows.byte_from.data() + at;
  uint32_t* __restrict const size = rows.size.data() + at;
  uint64_t* __restrict const hash = rows.hash.data() + at;
  int64_t* __restrict const event_time = rows.event_time.data() + at;
  const auto first_position = static_cast<uint32_t>(rows.num_keys);
  for (size_t i = from; i < to; ++i) {
    const LookupRow& place = *places.place[i];
    const size_t row = i - from;
    key[row] = keys[i];
    position[row] = first_position + static_cast<uint32_t>(row);
    byte_from[row] = place.byte_from;
    size[row] = static_cast<uint32_t>(SizeAt(places, i));
    hash[row] = static_cast<uint64_t>(place.hash);
    event_time[row] = place.event_time;
    const IndexedSegment& segment = *places.segment[i];
    file[row] = segment.file ? *segment.file : FileId{segment.columns->file_id[places.RowOf(i)]};
  }
  const auto fill_labels = [&](auto& labels, const batch::Column* const SegmentColumns::*member) {
    using T = typename std::decay_t<decltype(labels.values)>::value_type;
    T* const values = labels.values.data();
    uint8_t* const validity = labels.validity.data();
    size_t num_valid = 0;
    for (size_t i = from; i < to; ++i) {
      const batch::Column& column = *((*places.segment[i]->columns).*member);
      const bool all_are_valid = column.validity.empty();
      if (!all_are_valid && !column.IsValid(static_cast<int64_t>(places.RowOf(i)))) continue;
      const size_t row = at + i - from;
      values[row] = std::bit_cast<T>(places.place[i]->label);
      validity[row / 8] = static_cast<uint8_t>(validity[row / 8] | 1U << row % 8);
      ++num_valid;
    }
    labels.num_valid += num_valid;
  };
  // A spec has labels of one kind, and samples none of the other.
  if (has_real_labels_) {
    fill_labels(rows.real_label, &SegmentColumns::real_label);
  } else {
    fill_labels(rows.class_label, &SegmentColumns::class_label);
  }
  num_rows_ += to - from;
  rows.num_keys += to - from;
}

bool SampleLookup::TakeStep(std::span<const int64_t> keys, const Places& places,
                            const BlockLimits& limits, SampleRows& rows) {
  int64_t payload_bytes = payload_bytes_;
  for (size_t i = 0; i < places.count; ++i) {
    if (places.place[i] == nullptr) return TakeOneByOne(keys, places, limits, rows);
    const int64_t payload = SizeAt(places, i) - cut_.size;
    if (places.place[i]->byte_from < 0 || payload < cut_.offset || payload > kMaxPayloadBytes ||
        payload_bytes >= limits.payload_bytes ||
        payload_bytes + payload > 2 * limits.payload_bytes) {
      return TakeOneByOne(keys, places, limits, rows);
    }
    payload_bytes += payload;
  }
  payload_bytes_ = payload_bytes;
  Fill(keys, places, 0, places.count, rows);
  return true;
}

bool SampleLookup::TakeOneByOne(std::span<const int64_t> keys, const Places& places,
                                const BlockLimits& limits, SampleRows& rows) {
  const auto add_problem = [&](std::string reason, bool is_final = false) {
    rows.problems.push_back({rows.num_keys++, std::move(reason), is_final});
  };
  for (size_t i = 0; i < places.count; ++i) {
    if (payload_bytes_ >= limits.payload_bytes) return false;
    if (places.is_deleted[i]) {
      add_problem("was deleted", /*is_final=*/true);
      continue;
    }
    if (places.place[i] == nullptr) {
      add_problem(places.segment[i] == nullptr ? "is unknown" : "is in a damaged column file");
      continue;
    }
    const int64_t payload = SizeAt(places, i) - cut_.size;
    if (places.place[i]->byte_from < 0 || payload < cut_.offset) {
      add_problem("has vanished from its file");
    } else if (payload > kMaxPayloadBytes) {
      add_problem(fmt::format("has {} bytes, too many for a message", payload));
    } else if (payload_bytes_ > 0 && payload_bytes_ + payload > 2 * limits.payload_bytes) {
      return false;
    } else {
      payload_bytes_ += payload;
      Fill(keys, places, i, i + 1, rows);
    }
  }
  return true;
}

void SampleLookup::Find(std::span<const int64_t> keys, const BlockLimits& limits,
                        SampleRows& rows) {
  rows.Clear();
  num_rows_ = 0;
  payload_bytes_ = 0;
  keys = keys.first(std::min(keys.size(), limits.max_keys));
  const auto behind = [&](size_t from) { return keys.subspan(std::min(from, keys.size())); };
  std::array<Places, kStepsAhead + 1> places;
  for (size_t step = 0; step < kStepsAhead; ++step) LookAhead(behind(step * kStep), places[step]);
  for (size_t from = 0, step = 0; from < keys.size(); from += kStep, ++step) {
    LookAhead(behind(from + kStepsAhead * kStep), places[(step + kStepsAhead) % places.size()]);
    if (rows.num_rows() < num_rows_ + kStep) rows.Resize(num_rows_ + kRoom);
    if (!TakeStep(behind(from), places[step % places.size()], limits, rows)) break;
  }
  rows.Resize(num_rows_);
}

}  // namespace tidemill::storage
