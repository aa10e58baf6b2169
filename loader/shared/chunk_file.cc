#include "loader/shared/chunk_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/whole_io.h"
#include "batch/wire.h"
#include "records/crc32c.h"

// A file: the header, then three batches in their wire format, each at a multiple of 64.
//
//   rows       the columns of the graph; no columns when all samples are missing
//   bad        key, reason, deleted
//   filtered   key

namespace tidemill::loader {
namespace {

constexpr std::string_view kExtension = ".rows";
constexpr int64_t kAlignment = 64;

struct ChunkHeader {
  char magic[8] = {'T', 'M', 'R', 'O', 'W', 'S', '0', '1'};
  int64_t number = 0;
  int64_t rows_bytes = 0;
  int64_t bad_bytes = 0;
  int64_t filtered_bytes = 0;
  // Of all that follows the header.
  uint32_t sum = 0;
  uint32_t reserved[5] = {0, 0, 0, 0, 0};
};
static_assert(sizeof(ChunkHeader) == kAlignment);

int64_t Aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::string PathOf(const std::string& folder, int64_t number) {
  return files::Join(folder, fmt::format("{:016x}{}", number, kExtension));
}

absl::StatusOr<batch::Batch> BatchOf(const std::vector<Unreadable>& bad) {
  std::vector<int64_t> keys;
  std::vector<std::string_view> reasons;
  std::vector<uint8_t> deleted;
  for (const Unreadable& one : bad) {
    keys.push_back(one.key);
    reasons.emplace_back(one.reason);
    deleted.push_back(one.deleted ? 1 : 0);
  }
  batch::Batch coded(std::ssize(bad));
  RETURN_IF_ERROR(coded.Set(batch::MakeColumn<int64_t>("key", keys)));
  RETURN_IF_ERROR(coded.Set(batch::MakeBinaryColumn("reason", reasons)));
  RETURN_IF_ERROR(coded.Set(batch::MakeColumn<uint8_t>("deleted", deleted)));
  return coded;
}

absl::StatusOr<std::vector<Unreadable>> BadOf(const batch::Batch& coded) {
  ASSIGN_OR_RETURN(const auto* keys, coded.Get("key", batch::DataType::kInt64));
  ASSIGN_OR_RETURN(const auto* reasons, coded.Get("reason", batch::DataType::kBinary));
  ASSIGN_OR_RETURN(const auto* deleted, coded.Get("deleted", batch::DataType::kUInt8));
  std::vector<Unreadable> bad;
  for (int64_t row = 0; row < coded.num_rows(); ++row) {
    const auto at = static_cast<size_t>(row);
    bad.push_back({.key = keys->Values<int64_t>()[at],
                   .reason = std::string(reasons->Bytes(row)),
                   .deleted = deleted->Values<uint8_t>()[at] != 0});
  }
  return bad;
}

// The parts of a file in their order, the header first.
struct ChunkParts {
  ChunkHeader header;
  std::vector<batch::Buffer> parts;
  int64_t bytes = sizeof(ChunkHeader);
};

int64_t AddBatch(const batch::Batch& added, ChunkParts& chunk) {
  static constexpr char kZeros[kAlignment] = {};
  for (batch::Buffer& part : batch::EncodeParts(added)) {
    const std::string_view bytes = part.view();
    chunk.header.sum = ExtendCrc32c(chunk.header.sum, bytes);
    chunk.parts.push_back(std::move(part));
  }
  const auto size = static_cast<int64_t>(batch::EncodedSize(added));
  if (const int64_t gap = Aligned(size) - size; gap > 0) {
    chunk.parts.push_back(batch::Buffer::Wrap(kZeros, static_cast<size_t>(gap), nullptr));
    chunk.header.sum = ExtendCrc32c(chunk.header.sum, chunk.parts.back().view());
  }
  chunk.bytes += Aligned(size);
  return size;
}

absl::StatusOr<ChunkParts> PartsOf(int64_t number, const Rows& rows) {
  ASSIGN_OR_RETURN(const batch::Batch bad, BatchOf(rows.bad));
  batch::Batch filtered(std::ssize(rows.filtered));
  RETURN_IF_ERROR(filtered.Set(batch::MakeColumn<int64_t>("key", rows.filtered)));
  ChunkParts chunk;
  chunk.header.number = number;
  chunk.header.rows_bytes = AddBatch(rows.pieces.empty() ? batch::Batch() : rows.pieces[0], chunk);
  chunk.header.bad_bytes = AddBatch(bad, chunk);
  chunk.header.filtered_bytes = AddBatch(filtered, chunk);
  return chunk;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// A mapped file.
class Mapping {
 public:
  Mapping(void* start, size_t size) : start_(start), size_(size) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(start_, size_); }

 private:
  void* const start_;
  const size_t size_;
};

absl::StatusOr<batch::Buffer> MapChunk(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return NotFound("there is no {}: {}", path, std::strerror(errno));
  struct stat status = {};
  if (fstat(file.number(), &status) != 0 ||
      status.st_size < static_cast<off_t>(sizeof(ChunkHeader))) {
    return DataLoss("{} has no header", path);
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* const start = mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file.number(), 0);
  if (start == MAP_FAILED) return NotFound("cannot map {}: {}", path, std::strerror(errno));
  return batch::Buffer::Wrap(start, size, std::make_shared<const Mapping>(start, size));
}

// The header of a file whose sizes and sum are right.
absl::StatusOr<ChunkHeader> CheckChunk(const batch::Buffer& bytes, int64_t number) {
  ChunkHeader header;
  if (bytes.size() < sizeof(header)) return DataLoss("a chunk has no header");
  std::memcpy(&header, bytes.data(), sizeof(header));
  const auto size = static_cast<int64_t>(bytes.size());
  for (const int64_t part : {header.rows_bytes, header.bad_bytes, header.filtered_bytes}) {
    if (part < 0 || part > size) return DataLoss("a chunk has a part of {} bytes", part);
  }
  const int64_t sum = static_cast<int64_t>(sizeof(header)) + Aligned(header.rows_bytes) +
                      Aligned(header.bad_bytes) + Aligned(header.filtered_bytes);
  if (std::memcmp(header.magic, ChunkHeader().magic, sizeof(header.magic)) != 0 ||
      header.number != number || sum != size) {
    return DataLoss("this is not chunk {}", number);
  }
  if (Crc32c(bytes.view().substr(sizeof(header))) != header.sum) {
    return DataLoss("the bytes of chunk {} have changed", number);
  }
  return header;
}

}  // namespace

int64_t ChunkBytes(const Rows& rows) {
  // Texts of bad samples are left out: an estimate for the budget.
  const size_t rows_bytes = rows.pieces.empty() ? 0 : batch::EncodedSize(rows.pieces[0]);
  return static_cast<int64_t>(sizeof(ChunkHeader)) + Aligned(static_cast<int64_t>(rows_bytes));
}

absl::Status WriteChunk(const std::string& folder, int64_t number, const Rows& rows) {
  ASSIGN_OR_RETURN(const ChunkParts chunk, PartsOf(number, rows));
  // Without a name until it is whole: a process that dies leaves nothing.
  const Descriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.is_open()) return Unavailable("cannot write to {}: {}", folder, std::strerror(errno));
  // Full memory is an error here and not a signal when a page is read.
  if (const int error = posix_fallocate(file.number(), 0, chunk.bytes); error != 0) {
    return ResourceExhausted("no room for {} bytes in {}: {}", chunk.bytes, folder,
                             std::strerror(error));
  }
  const std::string_view header(reinterpret_cast<const char*>(&chunk.header), sizeof(ChunkHeader));
  bool is_written = WriteWhole(file.number(), header);
  for (const batch::Buffer& part : chunk.parts) {
    is_written = is_written && WriteWhole(file.number(), part.view());
  }
  if (!is_written) return ResourceExhausted("cannot write to {}: {}", folder, std::strerror(errno));
  const std::string open_file = fmt::format("/proc/self/fd/{}", file.number());
  if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, PathOf(folder, number).c_str(),
             AT_SYMLINK_FOLLOW) != 0 &&
      errno != EEXIST) {
    return Unavailable("cannot name a file in {}: {}", folder, std::strerror(errno));
  }
  return absl::OkStatus();
}

absl::StatusOr<Rows> ReadChunk(const std::string& folder, int64_t number) {
  ASSIGN_OR_RETURN(const batch::Buffer bytes, MapChunk(PathOf(folder, number)));
  ASSIGN_OR_RETURN(const ChunkHeader header, CheckChunk(bytes, number));
  size_t at = sizeof(header);
  const auto next = [&](int64_t size) {
    batch::Buffer part = bytes.Slice(at, static_cast<size_t>(size));
    at += static_cast<size_t>(Aligned(size));
    return batch::Decode(std::move(part));
  };
  Rows rows;
  ASSIGN_OR_RETURN(batch::Batch made, next(header.rows_bytes));
  ASSIGN_OR_RETURN(const batch::Batch bad, next(header.bad_bytes));
  ASSIGN_OR_RETURN(const batch::Batch filtered, next(header.filtered_bytes));
  if (made.num_rows() > 0) rows.pieces.push_back(std::move(made));
  ASSIGN_OR_RETURN(rows.bad, BadOf(bad));
  ASSIGN_OR_RETURN(const auto* keys, filtered.Get("key", batch::DataType::kInt64));
  const auto values = keys->Values<int64_t>();
  rows.filtered.assign(values.begin(), values.end());
  return rows;
}

std::vector<StoredChunk> ListChunks(const std::string& folder) {
  std::vector<StoredChunk> chunks;
  const std::unique_ptr<DIR, CloseFolder> files(opendir(folder.c_str()));
  if (files == nullptr) return chunks;
  while (const dirent* const entry = readdir(files.get())) {
    const std::string_view name(entry->d_name);
    if (!name.ends_with(kExtension)) continue;
    StoredChunk chunk;
    struct stat status = {};
    if (std::from_chars(name.data(), name.data() + name.size(), chunk.number, 16).ec !=
            std::errc() ||
        fstatat(dirfd(files.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    chunk.bytes = status.st_size;
    chunks.push_back(chunk);
  }
  std::ranges::sort(chunks, {}, &StoredChunk::number);
  return chunks;
}

void RemoveChunk(const std::string& folder, int64_t number) {
  unlink(PathOf(folder, number).c_str());
}

}  // namespace tidemill::loader
