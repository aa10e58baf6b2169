#include "transform/script_rules/script_archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/printable.h"

namespace tidemill::models {
namespace {

// APPNOTE.TXT of PKWARE, 4.3: sizes and offsets of what is read here.
constexpr std::string_view kEntry("PK\x01\x02", 4);
constexpr std::string_view kLocal("PK\x03\x04", 4);
constexpr std::string_view kEnd("PK\x05\x06", 4);
constexpr std::string_view kEnd64("PK\x06\x06", 4);
constexpr std::string_view kLocator64("PK\x06\x07", 4);
constexpr size_t kEntryBytes = 46;
constexpr size_t kLocalBytes = 30;
constexpr size_t kEndBytes = 22;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kLocator64Bytes = 20;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint16_t kSizes64 = 1;
constexpr uint32_t kLarge = std::numeric_limits<uint32_t>::max();

template <typename Number>
Number NumberAt(std::string_view bytes, size_t at) {
  Number number = 0;
  if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

struct PackedEntry {
  uint64_t packed = 0;
  uint64_t size = 0;
  uint64_t at = 0;
};

// A size of 2^32 - 1 stands for one of 64 bits in the extra field.
void TakeLargeSizes(std::string_view extra, PackedEntry& entry) {
  while (extra.size() >= 4) {
    const auto kind = NumberAt<uint16_t>(extra, 0);
    const size_t length = NumberAt<uint16_t>(extra, 2);
    std::string_view field = extra.substr(4, length);
    extra.remove_prefix(std::min(extra.size(), 4 + length));
    if (kind != kSizes64) continue;
    for (uint64_t* const number : {&entry.size, &entry.packed, &entry.at}) {
      if (*number != kLarge || field.size() < sizeof *number) continue;
      *number = NumberAt<uint64_t>(field, 0);
      field.remove_prefix(sizeof *number);
    }
  }
}

absl::StatusOr<std::string> Inflate(std::string_view packed, uint64_t size) {
  std::string bytes(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return ResourceExhausted("cannot unpack");
  // zlib's interface has no constant input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int result = inflate(&stream, Z_FINISH);
  const bool is_whole = result == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!is_whole) return InvalidArgument("it cannot be unpacked");
  return bytes;
}

absl::Status Damaged() { return InvalidArgument("its table of contents is damaged"); }

}  // namespace

absl::StatusOr<ScriptArchive> ScriptArchive::Open(std::string_view tail, uint64_t file_bytes) {
  ScriptArchive archive(tail, file_bytes);
  const size_t end = tail.size() - std::min(tail.size(), kEndBytes);
  if (!tail.substr(end).starts_with(kEnd)) return Damaged();
  uint64_t size = NumberAt<uint32_t>(tail, end + 12);
  uint64_t begin = NumberAt<uint32_t>(tail, end + 16);
  if (end >= kLocator64Bytes + kEnd64Bytes &&
      tail.substr(end - kLocator64Bytes).starts_with(kLocator64)) {
    const size_t large = end - kLocator64Bytes - kEnd64Bytes;
    const uint64_t named = NumberAt<uint64_t>(tail, end - kLocator64Bytes + 8);
    const bool is_there = named == file_bytes - tail.size() + large;
    if (!is_there || !tail.substr(large).starts_with(kEnd64)) return Damaged();
    size = NumberAt<uint64_t>(tail, large + 40);
    begin = NumberAt<uint64_t>(tail, large + 48);
  }
  RETURN_IF_ERROR(archive.AddRecords(begin, size));
  return archive;
}

absl::Status ScriptArchive::AddRecords(uint64_t begin, uint64_t size) {
  const uint64_t missing = file_bytes_ - tail_.size();
  if (begin > file_bytes_ || size > file_bytes_ - begin) return Damaged();
  if (begin < missing) return InvalidArgument("its table of contents is too large");
  std::string_view table = tail_.substr(begin - missing, size);
  while (!table.empty()) {
    if (table.size() < kEntryBytes || !table.starts_with(kEntry)) return Damaged();
    PackedEntry entry{.packed = NumberAt<uint32_t>(table, 20),
                      .size = NumberAt<uint32_t>(table, 24),
                      .at = NumberAt<uint32_t>(table, 42)};
    const size_t name_bytes = NumberAt<uint16_t>(table, 28);
    const size_t extra_bytes = NumberAt<uint16_t>(table, 30);
    const size_t all = kEntryBytes + name_bytes + extra_bytes + NumberAt<uint16_t>(table, 32);
    if (table.size() < all) return Damaged();
    TakeLargeSizes(table.substr(kEntryBytes + name_bytes, extra_bytes), entry);
    // The folder that all records are in has the file's first name.
    std::string_view name = table.substr(kEntryBytes, name_bytes);
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos) {
      return InvalidArgument("it holds {}, which is in no folder", Printable(name));
    }
    name.remove_prefix(slash + 1);
    records_.push_back({.name = std::string(name), .size = entry.size});
    places_.push_back(
        {.packed = entry.packed, .at = entry.at, .method = NumberAt<uint16_t>(table, 10)});
    table.remove_prefix(all);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> ScriptArchive::Read(size_t index) const {
  const Place& place = places_[index];
  const ScriptRecord& record = records_[index];
  const uint64_t missing = file_bytes_ - tail_.size();
  if (place.at < missing) return std::nullopt;
  if (place.at > file_bytes_) return Damaged();
  const std::string_view local = tail_.substr(place.at - missing);
  const size_t begin = kLocalBytes + NumberAt<uint16_t>(local, 26) + NumberAt<uint16_t>(local, 28);
  if (!local.starts_with(kLocal) || local.size() < begin || local.size() - begin < place.packed) {
    return Damaged();
  }
  const std::string_view packed = local.substr(begin, place.packed);
  if (place.method == kStored && place.packed == record.size) return std::string(packed);
  if (place.method != kDeflated) {
    return InvalidArgument("{} is packed with a method that libtorch does not support",
                           Printable(record.name));
  }
  auto bytes = Inflate(packed, record.size);
  if (!bytes.ok()) return Annotate(bytes.status(), Printable(record.name));
  return *std::move(bytes);
}

absl::Status CheckScriptTail(std::string_view tail, uint64_t file_bytes) {
  ASSIGN_OR_RETURN(const ScriptArchive archive, ScriptArchive::Open(tail, file_bytes));
  return CheckScript(archive.records(), [&](size_t index) { return archive.Read(index); });
}

}  // namespace tidemill::models
