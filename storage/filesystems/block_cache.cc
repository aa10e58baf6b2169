#include "storage/filesystems/block_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/logs/log.h"
#include "storage/filesystems/block_file.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

namespace {

constexpr std::string_view kHalfWritten = ".part";
constexpr uint64_t kNumFolders = 256;

}  // namespace

absl::StatusOr<std::unique_ptr<BlockCache>> BlockCache::Create(BlockCacheOptions options) {
  RETURN_IF_ERROR(files::CreateFolder(options.folder));
  std::unique_ptr<BlockCache> cache(new BlockCache(std::move(options)));
  RETURN_IF_ERROR(cache->Adopt());
  return cache;
}

absl::Status BlockCache::Adopt() {
  ASSIGN_OR_RETURN(ListedFolder listed, ListOwnFiles(options_.folder, "*/*"));
  std::vector<ListedFile> found = std::move(listed.files);
  // A block that is read again gets a new time, so blocks are ordered by their last use.
  std::sort(found.begin(), found.end(), [](const ListedFile& a, const ListedFile& b) {
    return a.identity.modified_nanos < b.identity.modified_nanos;
  });
  for (const ListedFile& file : found) {
    const std::optional<BlockKey> key =
        ParseBlockFileName(std::string_view(file.path).substr(file.path.find('/') + 1));
    if (key) {
      NoteOnDisk(*key, file.identity.size_bytes);
    } else if (file.path.ends_with(kHalfWritten)) {
      RETURN_IF_ERROR(files::Remove(files::Join(options_.folder, file.path)));
    }
  }
  return absl::OkStatus();
}

std::string BlockCache::FolderOf(const BlockKey& key) const {
  return fmt::format("{}/{:02x}", options_.folder, key.file_low % kNumFolders);
}

std::string BlockCache::PathOf(const BlockKey& key) const {
  return files::Join(FolderOf(key), BlockFileName(key));
}

std::optional<batch::Buffer> BlockCache::FindInMemory(const BlockKey& key) {
  MutexLock lock(mutex_);
  const auto found = in_memory_.find(key);
  if (found == in_memory_.end()) return std::nullopt;
  memory_uses_.splice(memory_uses_.begin(), memory_uses_, found->second.used);
  return found->second.bytes;
}

bool BlockCache::TouchOnDisk(const BlockKey& key) {
  MutexLock lock(mutex_);
  const auto found = on_disk_.find(key);
  if (found == on_disk_.end()) return false;
  disk_uses_.splice(disk_uses_.begin(), disk_uses_, found->second.used);
  return true;
}

std::optional<batch::Buffer> BlockCache::Find(const BlockKey& key) {
  if (std::optional<batch::Buffer> bytes = FindInMemory(key)) return bytes;
  if (!TouchOnDisk(key)) return std::nullopt;
  const std::string path = PathOf(key);
  absl::StatusOr<batch::Buffer> bytes = ReadBlockFile(path, key);
  if (!bytes.ok()) {
    log::Warn("a block of the cache is lost", {{"error", std::string(bytes.status().message())}});
    Forget(key);
    unlink(path.c_str());
    return std::nullopt;
  }
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // For Adopt().
  KeepInMemory(key, *bytes);
  return *std::move(bytes);
}

bool BlockCache::ReadAt(const BlockKey& key, int64_t offset, char* bytes, size_t size) {
  if (const std::optional<batch::Buffer> block = FindInMemory(key)) {
    if (static_cast<size_t>(offset) + size > block->size()) return false;
    std::memcpy(bytes, block->data() + offset, size);
    return true;
  }
  if (!TouchOnDisk(key)) return false;
  const absl::StatusOr<OpenFile> file = OpenFile::Open(PathOf(key));
  if (!file.ok()) return false;
  const absl::StatusOr<size_t> got = file->ReadAt(kBlockHeaderBytes + offset, bytes, size);
  return got.ok() && *got == size;
}

bool BlockCache::Contains(const BlockKey& key) {
  MutexLock lock(mutex_);
  return in_memory_.contains(key) || on_disk_.contains(key);
}

void BlockCache::Insert(const BlockKey& key, const batch::Buffer& bytes) {
  KeepInMemory(key, bytes);
  const auto size_bytes = static_cast<int64_t>(bytes.size()) + kBlockHeaderBytes;
  if (size_bytes > options_.max_disk_bytes) return;
  absl::Status status = files::CreateFolder(FolderOf(key));
  if (status.ok()) status = WriteBlockFile(PathOf(key), key, bytes);
  if (status.ok()) {
    NoteOnDisk(key, size_bytes);
    return;
  }
  MutexLock lock(mutex_);
  if (std::exchange(warned_of_writes_, true)) return;
  log::Warn("cannot keep blocks of objects; each read fetches them again",
            {{"error", std::string(status.message())}});
}

void BlockCache::KeepInMemory(const BlockKey& key, const batch::Buffer& bytes) {
  const auto size_bytes = static_cast<int64_t>(bytes.size());
  if (size_bytes > options_.max_memory_bytes) return;
  std::vector<batch::Buffer> freed;  // Outlives the lock.
  MutexLock lock(mutex_);
  if (in_memory_.contains(key)) return;
  memory_uses_.push_front(key);
  in_memory_[key] = {.bytes = bytes, .used = memory_uses_.begin()};
  memory_bytes_ += size_bytes;
  while (memory_bytes_ > options_.max_memory_bytes) {
    const auto last = in_memory_.find(memory_uses_.back());
    memory_bytes_ -= static_cast<int64_t>(last->second.bytes.size());
    freed.push_back(std::move(last->second.bytes));
    in_memory_.erase(last);
    memory_uses_.pop_back();
  }
}

void BlockCache::NoteOnDisk(const BlockKey& key, int64_t size_bytes) {
  std::vector<BlockKey> removed;
  {
    MutexLock lock(mutex_);
    const auto [entry, is_new] = on_disk_.try_emplace(key);
    if (is_new) {
      disk_uses_.push_front(key);
      entry->second.used = disk_uses_.begin();
    }
    disk_bytes_ += size_bytes - entry->second.size_bytes;
    entry->second.size_bytes = size_bytes;
    while (disk_bytes_ > options_.max_disk_bytes) {
      const BlockKey last = disk_uses_.back();
      disk_bytes_ -= on_disk_[last].size_bytes;
      on_disk_.erase(last);
      disk_uses_.pop_back();
      removed.push_back(last);
    }
  }
  // A block that is rewritten at the same time is lost; its next reader fetches it again.
  for (const BlockKey& last : removed) unlink(PathOf(last).c_str());
}

void BlockCache::Forget(const BlockKey& key) {
  MutexLock lock(mutex_);
  const auto found = on_disk_.find(key);
  if (found == on_disk_.end()) return;
  disk_bytes_ -= found->second.size_bytes;
  disk_uses_.erase(found->second.used);
  on_disk_.erase(found);
}

}  // namespace tidemill::storage
