#include "storage/sample_lookup.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <variant>

#include "storage/formats/format.h"

namespace tidemill::storage {

namespace {

// Leaves room for the other columns in a message of rpc::kMaxMessageBytes.
constexpr int64_t kMaxPayloadBytes = int64_t{15} << 20;

// A series' samples are windows of records.
int64_t RecordBytesOf(const DatasetSpec& spec) {
  const auto* const binary = std::get_if<BinaryFormat>(&spec.format);
  return binary == nullptr || spec.series ? 0 : binary->record_bytes;
}

bool IsValid(const batch::Column& column, size_t row) {
  return column.validity.empty() ||
         (std::to_integer<unsigned>(column.validity.data()[row / 8]) >> row % 8 & 1U) != 0;
}

// `at`: the row that it becomes, whose bit is not set yet.
template <typename T>
void TakeLabel(const batch::Column* column, size_t row, size_t at, LabelRows<T>& labels) {
  if (column == nullptr || !IsValid(*column, row)) return;
  labels.values[at] = column->Values<T>()[row];
  labels.validity[at / 8] = static_cast<uint8_t>(labels.validity[at / 8] | 1U << at % 8);
  ++labels.num_valid;
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

const IndexedSegment* SampleLookup::SegmentOf(int64_t key) {
  const auto holds = [key](const IndexedSegment& segment) {
    return key >= segment.first_key && key - segment.first_key < segment.num_samples;
  };
  if (last_ != nullptr && holds(*last_)) return last_;
  const std::optional<SampleLocation> location = index_.Find(key);
  if (!location.has_value()) return nullptr;
  last_ = location->segment;
  return last_;
}

SampleLookup::Place SampleLookup::PlaceOf(int64_t key) {
  const IndexedSegment* const segment = SegmentOf(key);
  if (segment == nullptr) return {};
  if (has_tombstones_ && index_.IsDeleted(key, index_.tombstone_sequence())) {
    return {.is_deleted = true};
  }
  return {.segment = segment, .row = static_cast<size_t>(key - segment->first_key)};
}

// Inlined by force: see Gatherer::Prefetch.
[[gnu::always_inline]] inline void SampleLookup::Prefetch(const Place& place) const {
  if (place.segment == nullptr) return;
  const SegmentColumns& columns = *place.segment->columns;
  __builtin_prefetch(&columns.byte_from[place.row]);
  if (record_bytes_ == 0) __builtin_prefetch(&columns.byte_to[place.row]);
  __builtin_prefetch(&columns.hash[place.row]);
  __builtin_prefetch(&columns.event_time[place.row]);
  const batch::Column* const label = has_real_labels_ ? columns.real_label : columns.class_label;
  if (label != nullptr) __builtin_prefetch(label->data.data() + place.row * sizeof(int64_t));
  if (!columns.file_id.empty()) __builtin_prefetch(&columns.file_id[place.row]);
}

void SampleLookup::Fill(int64_t key, const SegmentColumns& columns, const Place& place,
                        SampleRows& rows) {
  const size_t at = num_rows_++;
  rows.key[at] = key;
  rows.position[at] = static_cast<uint32_t>(rows.num_keys);
  rows.file[at] = place.segment->file ? *place.segment->file : FileId{columns.file_id[place.row]};
  rows.hash[at] = static_cast<uint64_t>(columns.hash[place.row]);
  rows.event_time[at] = columns.event_time[place.row];
  TakeLabel(columns.class_label, place.row, at, rows.class_label);
  TakeLabel(columns.real_label, place.row, at, rows.real_label);
}

bool SampleLookup::Take(int64_t key, const Place& place, const BlockLimits& limits,
                        SampleRows& rows) {
  const auto add_problem = [&](std::string reason) {
    rows.problems.push_back({rows.num_keys++, std::move(reason), place.is_deleted});
    return true;
  };
  if (place.segment == nullptr) return add_problem(place.is_deleted ? "was deleted" : "is unknown");
  const SegmentColumns& columns = *place.segment->columns;
  const int64_t from = columns.byte_from[place.row];
  // A vanished record is at -1, whatever its size.
  const int64_t size = record_bytes_ > 0 ? record_bytes_ : columns.byte_to[place.row] - from;
  const int64_t payload = size - cut_.size;
  if (from < 0 || payload < cut_.offset) return add_problem("has vanished from its file");
  if (payload > kMaxPayloadBytes) {
    return add_problem(fmt::format("has {} bytes, too many for a message", payload));
  }
  if (payload_bytes_ > 0 && payload_bytes_ + payload > 2 * limits.payload_bytes) return false;
  payload_bytes_ += payload;
  rows.byte_from[num_rows_] = from;
  rows.size[num_rows_] = static_cast<uint32_t>(size);
  Fill(key, columns, place, rows);
  ++rows.num_keys;
  return true;
}

void SampleLookup::Find(std::span<const int64_t> keys, const BlockLimits& limits,
                        SampleRows& rows) {
  rows.Clear();
  num_rows_ = 0;
  payload_bytes_ = 0;
  keys = keys.first(std::min(keys.size(), limits.max_keys));
  std::array<std::array<Place, kStep>, 2> places;
  const auto place_step = [&](size_t from, std::array<Place, kStep>& into) {
    for (size_t i = from; i < std::min(from + kStep, keys.size()); ++i) {
      into[i - from] = PlaceOf(keys[i]);
      Prefetch(into[i - from]);
    }
  };
  const auto take_step = [&](size_t from, const std::array<Place, kStep>& placed) {
    for (size_t i = from; i < std::min(from + kStep, keys.size()); ++i) {
      if (payload_bytes_ >= limits.payload_bytes) return false;
      if (!Take(keys[i], placed[i - from], limits, rows)) return false;
    }
    return true;
  };
  place_step(0, places[0]);
  for (size_t from = 0, step = 0; from < keys.size(); from += kStep, ++step) {
    place_step(from + kStep, places[(step + 1) % 2]);
    rows.Resize(num_rows_ + kStep);
    if (!take_step(from, places[step % 2])) break;
  }
  rows.Resize(num_rows_);
}

}  // namespace tidemill::storage
