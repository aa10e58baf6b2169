#include "loader/shared/chunk_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

// For the type of a sum in progress.
#define XXH_STATIC_LINKING_ONLY
#include "base/descriptor.h"
#include "base/files.h"
#include "base/whole_io.h"
#include "batch/wire.h"
#include "xxhash.h"

// A file: the header, then three batches in their wire format, each at a multiple of 64.
//
//   rows       the columns of the graph; no columns when all samples are missing
//   bad        key, reason, deleted
//   filtered   key

namespace tidemill::loader {
namespace {

constexpr std::string_view kExtension = ".rows";
constexpr std::string_view kFreeExtension = ".free";
constexpr int64_t kAlignment = 64;
constexpr size_t kWrittenTogether = size_t{128} << 10;

struct ChunkHeader {
  char magic[8] = {'T', 'M', 'R', 'O', 'W', 'S', '0', '2'};
  int64_t number = 0;
  int64_t rows_bytes = 0;
  int64_t bad_bytes = 0;
  int64_t filtered_bytes = 0;
  // The XXH3 of all that follows the header, seeded with that of the header up to here.
  uint64_t sum = 0;
  // 1 once a reader has found that the sum is right.
  uint32_t is_checked = 0;
  uint32_t reserved[3] = {0, 0, 0};
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

// The header of a file, without its sum, and the parts that follow it.
struct ChunkParts {
  ChunkHeader header;
  std::vector<batch::Buffer> parts;
};

// What the sum of a file begins with.
uint64_t SeedOf(const ChunkHeader& header) {
  return XXH3_64bits(&header, offsetof(ChunkHeader, sum));
}

int64_t AddBatch(const batch::Batch& added, ChunkParts& chunk) {
  static constexpr char kZeros[kAlignment] = {};
  for (batch::Buffer& part : batch::EncodeParts(added)) chunk.parts.push_back(std::move(part));
  const auto size = static_cast<int64_t>(batch::EncodedSize(added));
  if (const int64_t gap = Aligned(size) - size; gap > 0) {
    chunk.parts.push_back(batch::Buffer::Wrap(kZeros, static_cast<size_t>(gap), nullptr));
  }
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

// Returns the names in a folder that end so, with what stat() returns for them.
std::vector<std::pair<std::string, struct stat>> ListFiles(const std::string& folder,
                                                           std::string_view extension) {
  std::vector<std::pair<std::string, struct stat>> found;
  const std::unique_ptr<DIR, CloseFolder> files(opendir(folder.c_str()));
  if (files == nullptr) return found;
  while (const dirent* const entry = readdir(files.get())) {
    struct stat status = {};
    if (std::string_view(entry->d_name).ends_with(extension) &&
        fstatat(dirfd(files.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      found.emplace_back(entry->d_name, status);
    }
  }
  return found;
}

// Locks a whole file for its readers (F_RDLCK) or its writer (F_WRLCK), or unlocks it.
bool SetLock(int file, short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

bool IsStillCalled(const std::string& path, ino_t inode) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 && status.st_ino == inode;
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
  const int64_t total = static_cast<int64_t>(sizeof(header)) + Aligned(header.rows_bytes) +
                        Aligned(header.bad_bytes) + Aligned(header.filtered_bytes);
  // A file that is used again may be longer.
  if (std::memcmp(header.magic, ChunkHeader().magic, sizeof(header.magic)) != 0 ||
      header.number != number || total > size) {
    return DataLoss("this is not chunk {}", number);
  }
  const std::string_view summed =
      bytes.view().substr(sizeof(header), static_cast<size_t>(total) - sizeof(header));
  if (header.is_checked == 0 &&
      XXH3_64bits_withSeed(summed.data(), summed.size(), SeedOf(header)) != header.sum) {
    return DataLoss("the bytes of chunk {} have changed", number);
  }
  return header;
}

absl::StatusOr<Rows> DecodeChunk(const batch::Buffer& bytes, const ChunkHeader& header) {
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

bool WriteParts(int file, const ChunkParts& chunk) {
  ChunkHeader header = chunk.header;
  XXH3_state_t sum;
  XXH3_INITSTATE(&sum);
  XXH3_64bits_reset_withSeed(&sum, SeedOf(header));
  auto at = static_cast<int64_t>(sizeof(header));
  for (const batch::Buffer& part : chunk.parts) {
    // Bytes are summed and written while they are in the processor's cache.
    for (std::string_view rest = part.view(); !rest.empty();) {
      const std::string_view block = rest.substr(0, kWrittenTogether);
      XXH3_64bits_update(&sum, block.data(), block.size());
      if (!WriteWholeAt(file, block, at)) return false;
      at += std::ssize(block);
      rest.remove_prefix(block.size());
    }
  }
  header.sum = XXH3_64bits_digest(&sum);
  return WriteWholeAt(file, {reinterpret_cast<const char*>(&header), sizeof(header)}, 0);
}

}  // namespace

// A file that this consumer has mapped. While there are views, a lock keeps writers away.
class ChunkFolder::Mapped {
 public:
  Mapped(Descriptor file, void* start, size_t size)
      : file_(std::move(file)), start_(start), size_(size) {}
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() { munmap(start_, size_); }

  int file() const { return file_.number(); }
  size_t size() const { return size_; }
  bool IsRemoved() const {
    struct stat status = {};
    return fstat(file_.number(), &status) != 0 || status.st_nlink == 0;
  }

  // Returns a view that keeps writers away while it lives; an empty one while one writes.
  static batch::Buffer Read(const std::shared_ptr<Mapped>& mapped) {
    MutexLock lock(mapped->mutex_);
    if (mapped->num_views_ == 0 && !SetLock(mapped->file(), F_RDLCK)) return {};
    ++mapped->num_views_;
    return batch::Buffer::Wrap(mapped->start_, mapped->size_, std::make_shared<const View>(mapped));
  }

 private:
  class View {
   public:
    explicit View(std::shared_ptr<Mapped> mapped) : mapped_(std::move(mapped)) {}
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    ~View() {
      MutexLock lock(mapped_->mutex_);
      if (--mapped_->num_views_ == 0) SetLock(mapped_->file(), F_UNLCK);
    }

   private:
    const std::shared_ptr<Mapped> mapped_;
  };

  const Descriptor file_;
  void* const start_;
  const size_t size_;
  Mutex mutex_;
  int64_t num_views_ ABSL_GUARDED_BY(mutex_) = 0;
};

ChunkFolder::ChunkFolder(std::string path) : path_(std::move(path)) {}
ChunkFolder::~ChunkFolder() = default;

int64_t ChunkFolder::BytesOf(const Rows& rows) {
  // Texts of bad samples are left out: an estimate for the budget.
  const size_t rows_bytes = rows.pieces.empty() ? 0 : batch::EncodedSize(rows.pieces[0]);
  return static_cast<int64_t>(sizeof(ChunkHeader)) + Aligned(static_cast<int64_t>(rows_bytes));
}

absl::StatusOr<std::shared_ptr<ChunkFolder::Mapped>> ChunkFolder::Map(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return NotFound("there is no {}: {}", path, std::strerror(errno));
  struct stat status = {};
  if (fstat(file.number(), &status) != 0 ||
      status.st_size < static_cast<off_t>(sizeof(ChunkHeader))) {
    return DataLoss("{} has no header", path);
  }
  const auto size = static_cast<size_t>(status.st_size);
  MutexLock lock(mutex_);
  std::erase_if(mapped_, [](const auto& one) { return one.second->IsRemoved(); });
  std::shared_ptr<Mapped>& mapped = mapped_[status.st_ino];
  if (mapped != nullptr && mapped->size() >= size) return mapped;
  void* const start = mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file.number(), 0);
  if (start == MAP_FAILED) {
    mapped_.erase(status.st_ino);
    return NotFound("cannot map {}: {}", path, std::strerror(errno));
  }
  mapped = std::make_shared<Mapped>(std::move(file), start, size);
  return mapped;
}

absl::StatusOr<Rows> ChunkFolder::Read(int64_t number) {
  const std::string path = PathOf(path_, number);
  ASSIGN_OR_RETURN(const std::shared_ptr<Mapped> mapped, Map(path));
  const batch::Buffer bytes = Mapped::Read(mapped);
  struct stat status = {};
  // It may have been dropped, and be written again, before it was locked.
  if (bytes.empty() || fstat(mapped->file(), &status) != 0 || !IsStillCalled(path, status.st_ino)) {
    return NotFound("{} was dropped", path);
  }
  if (bytes.size() > static_cast<size_t>(status.st_size)) return DataLoss("{} was cut", path);
  ASSIGN_OR_RETURN(const ChunkHeader header, CheckChunk(bytes, number));
  if (header.is_checked == 0) {
    // What was right once is as safe as other memory.
    constexpr uint32_t kChecked = 1;
    WriteWholeAt(mapped->file(), {reinterpret_cast<const char*>(&kChecked), sizeof(kChecked)},
                 offsetof(ChunkHeader, is_checked));
  }
  return DecodeChunk(bytes, header);
}

absl::Status ChunkFolder::Write(int64_t number, const Rows& rows) {
  ASSIGN_OR_RETURN(const ChunkParts chunk, PartsOf(number, rows));
  for (const auto& [name, status] : ListFiles(path_, kFreeExtension)) {
    const std::string path = files::Join(path_, name);
    const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    // Not while a consumer reads it, nor once another one has taken it.
    if (!file.is_open() || !SetLock(file.number(), F_WRLCK) ||
        !IsStillCalled(path, status.st_ino)) {
      continue;
    }
    if (!WriteParts(file.number(), chunk)) return Full();
    if (rename(path.c_str(), PathOf(path_, number).c_str()) != 0) return Gone();
    return absl::OkStatus();
  }
  // Without a name until it is whole: a process that dies leaves nothing. If memory is full, that
  // is an error of the write, as nothing is written through a mapping.
  const Descriptor file(open(path_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.is_open()) return Gone();
  if (!WriteParts(file.number(), chunk)) return Full();
  const std::string open_file = fmt::format("/proc/self/fd/{}", file.number());
  if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, PathOf(path_, number).c_str(),
             AT_SYMLINK_FOLLOW) != 0 &&
      errno != EEXIST) {
    return Gone();
  }
  return absl::OkStatus();
}

absl::Status ChunkFolder::Full() const {
  return ResourceExhausted("cannot write to {}: {}", path_, std::strerror(errno));
}

absl::Status ChunkFolder::Gone() const {
  return Unavailable("cannot make a file in {}: {}", path_, std::strerror(errno));
}

std::vector<StoredChunk> ChunkFolder::List() const {
  std::vector<StoredChunk> chunks;
  for (const auto& [name, status] : ListFiles(path_, kExtension)) {
    StoredChunk chunk{.bytes = status.st_size};
    if (std::from_chars(name.data(), name.data() + name.size(), chunk.number, 16).ec ==
        std::errc()) {
      chunks.push_back(chunk);
    }
  }
  std::ranges::sort(chunks, {}, &StoredChunk::number);
  return chunks;
}

void ChunkFolder::Drop(int64_t number) const {
  const std::string path = PathOf(path_, number);
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) return;
  const std::string name = fmt::format("{}{}", status.st_ino, kFreeExtension);
  rename(path.c_str(), files::Join(path_, name).c_str());
}

void ChunkFolder::Remove(int64_t number) const { unlink(PathOf(path_, number).c_str()); }

int64_t ChunkFolder::TrimFree(int64_t bytes) {
  int64_t left = 0;
  for (const auto& [name, status] : ListFiles(path_, kFreeExtension)) {
    if (left + status.st_size <= bytes) {
      left += status.st_size;
    } else {
      unlink(files::Join(path_, name).c_str());
    }
  }
  MutexLock lock(mutex_);
  std::erase_if(mapped_, [](const auto& one) { return one.second->IsRemoved(); });
  return left;
}

}  // namespace tidemill::loader
