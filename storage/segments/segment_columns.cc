#include "storage/segments/segment_columns.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <filesystem>

#include "base/files.h"
#include "batch/wire.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

namespace {

using batch::Batch;
using batch::Buffer;
using batch::Column;
using batch::DataType;

constexpr int64_t kNumbersInLookupRow = sizeof(LookupRow) / sizeof(int64_t);

// A view, good while `values` is.
template <typename T>
Buffer View(std::span<const T> values) {
  return Buffer::Wrap(values.data(), values.size_bytes(), nullptr);
}

Column NumbersOf(std::string_view name, const std::vector<int64_t>& values) {
  return {.name = std::string(name), .data = View<int64_t>(values)};
}

Column LookupOf(const SegmentRows& rows) {
  Column column{.name = std::string(kLookupColumn), .shape = {kNumbersInLookupRow}};
  column.data = Buffer::Allocate(rows.byte_from.size() * sizeof(LookupRow));
  const std::span<LookupRow> lookup = column.data.MutableAs<LookupRow>();
  for (size_t i = 0; i < lookup.size(); ++i) {
    const std::optional<double> real = rows.real_label[i];
    lookup[i] = {.byte_from = rows.byte_from[i],
                 .hash = rows.hash[i],
                 .event_time = rows.event_time[i],
                 .label = rows.class_label[i].value_or(std::bit_cast<int64_t>(real.value_or(0)))};
  }
  return column;
}

template <typename T>
Column NullableOf(std::string_view name, DataType type, const NullableValues<T>& values) {
  Column column{.name = std::string(name), .type = type};
  if (values.all_missing() && !values.empty()) {
    column.data = Buffer::Allocate(values.size() * sizeof(T));
    column.validity = Buffer::Allocate((values.size() + 7) / 8);
  } else {
    column.data = View<T>(values.values());
    column.validity = View<uint8_t>(values.validity());
  }
  return column;
}

// A view of the rows.
absl::StatusOr<Batch> ToBatch(const SegmentRows& rows) {
  Batch made(rows.num_rows());
  RETURN_IF_ERROR(made.Set(LookupOf(rows)));
  RETURN_IF_ERROR(made.Set(NumbersOf(kByteToColumn, rows.byte_to)));
  RETURN_IF_ERROR(made.Set(NumbersOf(batch::kEventTimeColumn, rows.event_time)));
  if (std::is_sorted(rows.event_time.begin(), rows.event_time.end())) {
    RETURN_IF_ERROR(
        made.Set({.name = std::string(kInOrderColumn), .type = DataType::kUInt8, .shape = {0}}));
  }
  RETURN_IF_ERROR(
      made.Set(NullableOf(batch::kClassLabelColumn, DataType::kInt64, rows.class_label)));
  RETURN_IF_ERROR(
      made.Set(NullableOf(batch::kRealLabelColumn, DataType::kFloat64, rows.real_label)));
  if (!rows.file_id.empty()) RETURN_IF_ERROR(made.Set(NumbersOf(kFileIdColumn, rows.file_id)));
  return made;
}

absl::StatusOr<std::span<const int64_t>> Numbers(const Batch& columns, std::string_view name) {
  ASSIGN_OR_RETURN(const Column* const column, columns.Get(name, DataType::kInt64));
  if (column->Width() != 1) return DataLoss("column {} has rows of several numbers", name);
  return column->Values<int64_t>();
}

// The numbers that an earlier layout kept in separate columns.
absl::Status AddLookup(Batch& columns) {
  SegmentRows rows;
  const auto copy = [&](std::string_view name, std::vector<int64_t>& into) -> absl::Status {
    ASSIGN_OR_RETURN(const std::span<const int64_t> numbers, Numbers(columns, name));
    into.assign(numbers.begin(), numbers.end());
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(copy("byte_from", rows.byte_from));
  RETURN_IF_ERROR(copy("hash", rows.hash));
  RETURN_IF_ERROR(copy(batch::kEventTimeColumn, rows.event_time));
  ASSIGN_OR_RETURN(const Column* const classes,
                   columns.Get(batch::kClassLabelColumn, DataType::kInt64));
  ASSIGN_OR_RETURN(const Column* const reals,
                   columns.Get(batch::kRealLabelColumn, DataType::kFloat64));
  for (int64_t row = 0; row < columns.num_rows(); ++row) {
    rows.class_label.push_back(ValueAt<int64_t>(*classes, row));
    rows.real_label.push_back(ValueAt<double>(*reals, row));
  }
  return columns.Set(LookupOf(rows));
}

absl::StatusOr<SegmentColumns> FromBatch(Batch columns) {
  if (columns.Find(kLookupColumn) == nullptr) RETURN_IF_ERROR(AddLookup(columns));
  SegmentColumns segment;
  segment.batch = std::move(columns);
  ASSIGN_OR_RETURN(const Column* const lookup, segment.batch.Get(kLookupColumn, DataType::kInt64));
  if (lookup->Width() != kNumbersInLookupRow) {
    return DataLoss("column {} has rows of {} numbers", kLookupColumn, lookup->Width());
  }
  segment.lookup = lookup->data.As<LookupRow>();
  ASSIGN_OR_RETURN(segment.byte_to, Numbers(segment.batch, kByteToColumn));
  ASSIGN_OR_RETURN(segment.event_time, Numbers(segment.batch, batch::kEventTimeColumn));
  segment.is_in_order = segment.batch.Find(kInOrderColumn) != nullptr;
  ASSIGN_OR_RETURN(segment.class_label,
                   segment.batch.Get(batch::kClassLabelColumn, DataType::kInt64));
  ASSIGN_OR_RETURN(segment.real_label,
                   segment.batch.Get(batch::kRealLabelColumn, DataType::kFloat64));
  if (segment.batch.Find(kFileIdColumn)) {
    ASSIGN_OR_RETURN(segment.file_id, Numbers(segment.batch, kFileIdColumn));
  }
  return segment;
}

// Small files are read instead: a process may have 65,530 mappings, a dataset more files.
constexpr int64_t kLeastMapped = 256 << 10;

absl::StatusOr<batch::Buffer> BytesOf(const OpenFile& file, int64_t size_bytes) {
  const auto size = static_cast<size_t>(size_bytes);
  if (size_bytes >= kLeastMapped) {
    ASSIGN_OR_RETURN(batch::Buffer mapping, file.Map(size));
    // Shuffled keys touch every page of it: with large ones, translating an address needs no
    // further access to memory. Not every file system has them.
    madvise(mapping.mutable_data(), size, MADV_HUGEPAGE);
    return mapping;
  }
  batch::Buffer bytes = batch::Buffer::Allocate(size);
  ASSIGN_OR_RETURN(const size_t num_read,
                   file.ReadAt(0, reinterpret_cast<char*>(bytes.mutable_data()), size));
  return bytes.Slice(0, num_read);
}

// `whole`: whether all of the bytes are compared with their sums at once.
absl::StatusOr<SegmentColumns> Open(batch::Buffer bytes, bool whole) {
  ASSIGN_OR_RETURN(std::unique_ptr<const BlockSums> sums, BlockSums::Read(bytes));
  if (sums != nullptr) {
    bytes = sums->content();
    const size_t compared = whole ? bytes.size() : std::min(bytes.size(), kSummedBlockBytes);
    if (!sums->AreSound(bytes.data(), compared)) return DataLoss("it is damaged");
  }
  ASSIGN_OR_RETURN(Batch columns, batch::Decode(std::move(bytes)));
  ASSIGN_OR_RETURN(SegmentColumns segment, FromBatch(std::move(columns)));
  segment.has_sums = sums != nullptr;
  if (!whole) segment.sums = std::move(sums);
  return segment;
}

}  // namespace

std::string SegmentFolder(const std::string& storage_folder, DatasetId dataset) {
  return fmt::format("{}/segments/{}", storage_folder, dataset.value);
}

std::string SegmentPath(const std::string& storage_folder, DatasetId dataset, int64_t segment_id) {
  return fmt::format("{}/{}.batch", SegmentFolder(storage_folder, dataset), segment_id);
}

absl::StatusOr<std::string> EncodeSegmentColumns(const SegmentRows& rows) {
  ASSIGN_OR_RETURN(const Batch columns, ToBatch(rows));
  std::string bytes = batch::Encode(columns);
  AppendBlockSums(bytes);
  return bytes;
}

absl::Status WriteSegmentColumns(const std::string& path, const SegmentRows& rows) {
  RETURN_IF_ERROR(files::CreateFolder(std::filesystem::path(path).parent_path().string()));
  ASSIGN_OR_RETURN(const std::string bytes, EncodeSegmentColumns(rows));
  return files::WriteAtomically(path, bytes);
}

absl::StatusOr<SegmentColumns> OpenSegmentColumns(const std::string& path) {
  ASSIGN_OR_RETURN(const OpenFile file, OpenFile::Open(path));
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  ASSIGN_OR_RETURN(batch::Buffer bytes, BytesOf(file, identity.size_bytes));
  absl::StatusOr<SegmentColumns> segment =
      Open(std::move(bytes), /*whole=*/identity.size_bytes < kLeastMapped);
  if (!segment.ok()) return DataLoss("{}: {}", path, std::string(segment.status().message()));
  return segment;
}

absl::Status CheckSegmentColumns(const std::string& path) {
  ASSIGN_OR_RETURN(const OpenFile file, OpenFile::Open(path));
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  // Not mapped: a page that a disk cannot read any more is an error, not a signal.
  batch::Buffer bytes = batch::Buffer::AllocateUnwritten(static_cast<size_t>(identity.size_bytes));
  const absl::StatusOr<size_t> num_read =
      file.ReadAt(0, reinterpret_cast<char*>(bytes.mutable_data()), bytes.size());
  if (!num_read.ok()) {
    return DataLoss("{} cannot be read: {}", path, std::string(num_read.status().message()));
  }
  const absl::Status opened = Open(bytes.Slice(0, *num_read), /*whole=*/true).status();
  if (!opened.ok()) return DataLoss("{}: {}", path, std::string(opened.message()));
  return absl::OkStatus();
}

bool SegmentColumns::AreSound(const void* numbers, size_t num_bytes) const {
  if (health.is_damaged()) return false;
  if (sums == nullptr || sums->AreSound(numbers, num_bytes)) return true;
  health.SetDamaged();
  return false;
}

bool SegmentColumns::RowsAreSound(int64_t from, int64_t to, bool with_labels) const {
  const auto first = static_cast<size_t>(from);
  const auto count = static_cast<size_t>(to - from);
  bool are_sound = AreSound(event_time.subspan(first, count));
  if (!with_labels) return are_sound;
  for (const Column* const label : {class_label, real_label}) {
    if (count == 0) break;
    if (!label->validity.empty()) {
      const std::span<const uint8_t> bits =
          label->validity.As<uint8_t>().subspan(first / 8, (first + count - 1) / 8 - first / 8 + 1);
      are_sound = are_sound && AreSound(bits);
      // The numbers of rows without a label are not used.
      if (std::ranges::all_of(bits, [](uint8_t byte) { return byte == 0; })) continue;
    }
    are_sound = are_sound && AreSound(label->Values<int64_t>().subspan(first, count));
  }
  return are_sound;
}

bool SegmentColumns::AllAreSound() const {
  if (health.is_damaged()) return false;
  if (sums == nullptr || sums->AllAreSound()) return true;
  health.SetDamaged();
  return false;
}

bool SegmentColumns::CompareForLookup() const {
  const bool is_sound = AreSound(lookup) && AreSound(byte_to) && AreSound(file_id) &&
                        AreSound(class_label->validity.As<uint8_t>()) &&
                        AreSound(real_label->validity.As<uint8_t>());
  if (is_sound) health.SetReady();
  return is_sound && !health.is_damaged();
}

}  // namespace tidemill::storage
