#include "prepared/row_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/disk_full.h"
#include "base/whole_io.h"
#include "prepared/medium_speed.h"
#include "xxhash.h"

namespace tidemill::prepared {
namespace {

// The number of entries that are read at a time.
constexpr size_t kEntriesAtOnce = 1024;

void Add(const void* data, size_t size, std::vector<iovec>& parts) {
  if (size == 0) return;
  if (!parts.empty()) {
    iovec& last = parts.back();
    if (static_cast<const char*>(last.iov_base) + last.iov_len == data) {
      last.iov_len += size;
      return;
    }
  }
  parts.push_back({const_cast<void*>(data), size});
}

// Writes all parts from `offset` on. Returns false, with errno.
bool WriteParts(int file, std::vector<iovec> parts, int64_t offset) {
  size_t next = 0;
  while (next < parts.size()) {
    const int count = static_cast<int>(std::min<size_t>(parts.size() - next, IOV_MAX));
    const ssize_t done = pwritev(file, parts.data() + next, count, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    offset += done;
    auto left = static_cast<size_t>(done);
    while (next < parts.size() && left >= parts[next].iov_len) left -= parts[next++].iov_len;
    if (left > 0) {
      parts[next].iov_base = static_cast<char*>(parts[next].iov_base) + left;
      parts[next].iov_len -= left;
    }
  }
  return true;
}

// Reads all pieces from `offset` on. Returns false when the file ends before.
bool ReadPieces(int file, const std::vector<Piece>& pieces, int64_t offset) {
  std::vector<iovec> parts;
  size_t total = 0;
  for (const Piece& piece : pieces) {
    parts.push_back({piece.data, piece.size});
    total += piece.size;
  }
  const auto count = static_cast<int>(parts.size());
  const ssize_t done = parts.size() > IOV_MAX ? -1 : preadv(file, parts.data(), count, offset);
  if (done == static_cast<ssize_t>(total)) return true;
  for (const Piece& piece : pieces) {
    const std::span bytes(reinterpret_cast<char*>(piece.data), piece.size);
    if (ReadWholeAt(file, bytes, offset) != static_cast<ssize_t>(piece.size)) return false;
    offset += static_cast<int64_t>(piece.size);
  }
  return true;
}

template <typename T>
bool ReadObject(int file, int64_t offset, T& object) {
  return ReadWholeAt(file, {reinterpret_cast<char*>(&object), sizeof(object)}, offset) ==
         sizeof(object);
}

// After an entry that is damaged, no later row of the block can be found. Returns whether there is
// none.
bool ScanBlock(int file, int64_t begin, uint32_t num_rows,
               const std::function<void(const RowPlace&)>& found) {
  std::vector<RowEntry> entries;
  int64_t entry_at = begin + kHeaderBytes;
  int64_t row_at = entry_at + int64_t{num_rows} * kEntryBytes;
  for (size_t left = num_rows; left > 0; left -= entries.size()) {
    entries.resize(std::min(left, kEntriesAtOnce));
    const std::span bytes(reinterpret_cast<char*>(entries.data()),
                          entries.size() * sizeof(RowEntry));
    if (ReadWholeAt(file, bytes, entry_at) != std::ssize(bytes)) return false;
    for (const RowEntry& entry : entries) {
      if (entry.sum != SumOf(entry)) return false;
      if (entry.state != RowState::kMissing) found({entry, entry_at, row_at});
      entry_at += kEntryBytes;
      row_at += entry.row_bytes;
    }
  }
  return true;
}

// Opens a file without following a link, or waiting for the other end of a pipe.
absl::StatusOr<Descriptor> OpenFile(const std::string& path, int flags) {
  Descriptor file(open(path.c_str(), O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | flags, 0600));
  if (!file.is_open()) {
    const int error = errno;
    if (error == ENOENT) return NotFound("{} is gone", path);
    if (error == ELOOP || error == EISDIR || error == ENXIO) {
      return FailedPrecondition("{} is not a file", path);
    }
    if (IsNoRoom(error)) return DiskFull(path);
    return PermissionDenied("cannot open {}: {}", path, std::strerror(error));
  }
  struct stat about = {};
  if (fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return FailedPrecondition("{} is not a file", path);
  }
  return file;
}

}  // namespace

absl::StatusOr<RowFile> RowFile::OpenToRead(const std::string& path) {
  // To wipe rows.
  auto file = OpenFile(path, O_RDWR);
  if (absl::IsPermissionDenied(file.status())) file = OpenFile(path, O_RDONLY);
  RETURN_IF_ERROR(file.status());
  return RowFile(path, *std::move(file));
}

absl::StatusOr<RowFile> RowFile::OpenToAppend(const std::string& path) {
  ASSIGN_OR_RETURN(Descriptor file, OpenFile(path, O_RDWR | O_CREAT));
  if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    return Unavailable("another process appends to {}", path);
  }
  return RowFile(path, std::move(file));
}

RowFile::~RowFile() {
  if (file_.is_open() && room() > 0) GiveRoomBack();
}

bool RowFile::TakeRoom(int64_t bytes) {
  const int64_t size = std::max(size_, end_) + bytes;
  if (ftruncate(file_.number(), size) != 0) return false;
  size_ = size;
  return true;
}

void RowFile::GiveRoomBack() {
  // Where that fails, the room stays taken until the file is removed.
  if (ftruncate(file_.number(), end_) == 0) size_ = end_;
}

bool RowFile::IsRemoved() const {
  struct stat about = {};
  return fstat(file_.number(), &about) != 0 || about.st_nlink == 0;
}

bool RowFile::Scan(const std::function<void(const RowPlace&)>& found) {
  struct stat about = {};
  if (fstat(file_.number(), &about) != 0) return false;
  bool is_whole = true;
  while (end_ + kHeaderBytes <= about.st_size) {
    BlockHeader header;
    if (!ReadObject(file_.number(), end_, header)) return false;
    // Room for later blocks.
    if (header.magic == 0 && header.bytes == 0 && header.sum == 0) return is_whole;
    if (header.magic != kBlockMagic || header.sum != SumOf(header) || header.bytes < kHeaderBytes ||
        header.bytes > about.st_size - end_) {
      return false;
    }
    is_whole &= ScanBlock(file_.number(), end_, header.num_rows, found);
    end_ += header.bytes;
  }
  return is_whole;
}

int64_t BlockBytes(const NamedRows& rows, const RowColumns& columns,
                   std::span<const int64_t> which) {
  int64_t bytes = kHeaderBytes;
  const int64_t row_bytes = RowBytes(columns);
  for (const int64_t row : which) {
    bytes += kEntryBytes;
    const RowState state = rows.states[static_cast<size_t>(row)];
    if (state == RowState::kGood) bytes += row_bytes;
    if (state == RowState::kBad) bytes += std::ssize(rows.reasons.at(row));
  }
  return bytes;
}

absl::StatusOr<std::vector<RowPlace>> RowFile::Append(std::span<const SampleName> names,
                                                      const NamedRows& rows,
                                                      const RowColumns& columns,
                                                      std::span<const int64_t> which) {
  BlockHeader header{.num_rows = static_cast<uint32_t>(which.size()),
                     .bytes = BlockBytes(rows, columns, which)};
  header.sum = SumOf(header);
  std::vector<RowEntry> entries;
  for (const int64_t row : which) {
    entries.push_back(EntryOf(names[static_cast<size_t>(row)], rows, columns, row));
  }
  std::vector<iovec> parts;
  Add(entries.data(), entries.size() * sizeof(RowEntry), parts);
  std::vector<RowPlace> places;
  int64_t entry_at = end_ + kHeaderBytes;
  int64_t at = entry_at + std::ssize(entries) * kEntryBytes;
  for (size_t i = 0; i < which.size(); ++i) {
    if (entries[i].state == RowState::kGood) {
      for (const Piece& piece : PiecesOf(columns, which[i], rows.data)) {
        Add(piece.data, piece.size, parts);
      }
    } else if (entries[i].state == RowState::kBad) {
      const std::string& reason = rows.reasons.at(which[i]);
      Add(reason.data(), reason.size(), parts);
    }
    places.push_back({entries[i], entry_at, at});
    entry_at += kEntryBytes;
    at += entries[i].row_bytes;
  }
  // The header comes last: where there is one, its block is complete, also in room that was taken
  // before.
  const std::string_view begin(reinterpret_cast<const char*>(&header), sizeof(header));
  if (!WriteParts(file_.number(), std::move(parts), end_ + kHeaderBytes) ||
      !WriteWholeAt(file_.number(), begin, end_)) {
    const int error = errno;
    GiveRoomBack();
    if (IsNoRoom(error)) return DiskFull(path_);
    return Unavailable("cannot write {}: {}", path_, std::strerror(error));
  }
  end_ += header.bytes;
  size_ = std::max(size_, end_);
  return places;
}

absl::Status RowFile::Wipe(const RowPlace& place) const {
  const RowEntry wiped = WipedEntry(place.entry);
  const std::string zeros(wiped.row_bytes, '\0');
  const std::string_view entry(reinterpret_cast<const char*>(&wiped), sizeof(wiped));
  if (!WriteWholeAt(file_.number(), entry, place.entry_offset) ||
      !WriteWholeAt(file_.number(), zeros, place.offset) || fdatasync(file_.number()) != 0) {
    return Unavailable("cannot wipe a row of {}: {}", path_, std::strerror(errno));
  }
  return absl::OkStatus();
}

bool RowFile::Read(const RowPlace& place, const RowColumns& columns, int64_t row,
                   NamedRows& rows) const {
  const RowEntry& entry = place.entry;
  if (entry.state == RowState::kBad) {
    std::string reason(entry.row_bytes, '\0');
    if (ReadWholeAt(file_.number(), reason, place.offset) != std::ssize(reason) ||
        XXH3_64bits_withSeed(reason.data(), reason.size(), SeedOf(entry.name())) != entry.row_sum) {
      return false;
    }
    rows.reasons[row] = std::move(reason);
  } else if (entry.state == RowState::kGood) {
    if (entry.row_bytes != static_cast<uint32_t>(RowBytes(columns))) return false;
    const std::vector<Piece> pieces = PiecesOf(columns, row, rows.data);
    if (!ReadPieces(file_.number(), pieces, place.offset) ||
        SumOf(pieces, SeedOf(entry.name())) != entry.row_sum) {
      return false;
    }
  }
  TakeFacts(entry, row, rows);
  return true;
}

}  // namespace tidemill::prepared
