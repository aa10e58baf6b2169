// Compressed inputs, unpacked once (docs/decisions: a size-bounded cache below the state folder).
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/filesystems/file_system.h"

namespace tidemill::storage {

class Decoder;

struct UnpackedCacheOptions {
  // "<storage folder>/unpacked".
  std::string folder;
  // The least recently used are removed beyond this; the newest always stays.
  int64_t max_bytes = int64_t{8} << 30;
  // A file that unpacks to more, or to more than this many times its size, is refused.
  int64_t max_unpacked_bytes = int64_t{64} << 30;
  int64_t max_ratio = 2000;
};

// Opens files, those packed with gzip, xz or zstd as their unpacked content. Thread-safe: two
// threads that want the same file unpack it once.
class UnpackedCache {
 public:
  // Takes over what an earlier process left in the folder and removes its half-written files.
  // `source`: where files come from; it must outlive the cache.
  static absl::StatusOr<std::unique_ptr<UnpackedCache>> Create(UnpackedCacheOptions options,
                                                               FileSystem& source);
  // The same for the machine's own files.
  static absl::StatusOr<std::unique_ptr<UnpackedCache>> Create(UnpackedCacheOptions options);

  // A file that does not start like a packed one is opened as it is. The returned file stays
  // readable after its removal from the cache. DATA_LOSS for a broken one; RESOURCE_EXHAUSTED
  // beyond the limits; else as FileSystem::Open.
  absl::StatusOr<OpenFile> Open(const std::string& path) ABSL_LOCKS_EXCLUDED(mutex_);

  // The same, for who looks at its beginning: of a packed file no more is unpacked than is read,
  // and nothing is kept. It seems to end after the first kMostOfStart bytes. Codes as of Open(),
  // some of them from reading.
  absl::StatusOr<OpenFile> OpenStart(const std::string& path);

  static constexpr int64_t kMostOfStart = int64_t{16} << 20;

  // The files as they lie, packed or not.
  FileSystem& source() const { return source_; }

 private:
  struct Entry {
    int64_t size_bytes = 0;
    std::list<std::string>::iterator used;
    bool unpacking = false;
  };
  UnpackedCache(UnpackedCacheOptions options, FileSystem& source)
      : options_(std::move(options)), source_(source) {}
  absl::Status Adopt() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Unpack(const OpenFile& packed, Decoder& decoder, const std::string& name)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Evict(const std::string& keep) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const UnpackedCacheOptions options_;
  FileSystem& source_;
  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::list<std::string> used_ ABSL_GUARDED_BY(mutex_);  // Most recent first.
};

}  // namespace tidemill::storage
