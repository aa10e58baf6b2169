// The cache of compressed inputs. Each is unpacked once into a size-bounded cache below the state
// folder (docs/decisions):
//
//   <folder>/<32 digits: the state of the packed file>-<16 digits: the xxh3-64 of the unpacked
//   bytes>
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/compression/decoder.h"
#include "storage/filesystems/file_system.h"

namespace tidemill::storage {

class Decoder;

struct UnpackedCacheOptions {
  // "<storage folder>/unpacked". Empty: nothing is kept, and packed files can be opened only with
  // OpenStart().
  std::string folder;
  // Beyond this, the least recently used files are removed. The newest one always stays.
  int64_t max_bytes = int64_t{8} << 30;
  // A file is refused when it unpacks to more than `max_unpacked_bytes`, or to more than
  // `max_ratio` times its size.
  int64_t max_unpacked_bytes = int64_t{64} << 30;
  int64_t max_ratio = 2000;
};

// Opens files. A file packed with gzip, xz or zstd is opened as its unpacked content. Thread-safe:
// when two threads want the same file, it is unpacked once.
class UnpackedCache {
 public:
  // Takes over the files that an earlier process left in the folder, and removes half-written ones
  // and those of versions that kept no sums. A file is compared with its sum when it is opened
  // first, and unpacked again when it differs. `source` is where files come from. It must outlive
  // this object.
  static absl::StatusOr<std::unique_ptr<UnpackedCache>> Create(UnpackedCacheOptions options,
                                                               FileSystem& source);

  // Opens a file. A file that does not begin like a packed one is opened directly. The returned
  // file stays readable after its removal from the cache. DATA_LOSS when it is damaged.
  // RESOURCE_EXHAUSTED beyond the limits. Also returns the errors of FileSystem::Open.
  absl::StatusOr<OpenFile> Open(const std::string& path) ABSL_LOCKS_EXCLUDED(mutex_);

  // Does the same for a caller that reads only the beginning. Unpacks only what the caller reads,
  // and keeps nothing. The file seems to end after the first kMaxOfStart bytes. Returns the errors
  // of Open(); some come from reading.
  absl::StatusOr<OpenFile> OpenStart(const std::string& path);

  static constexpr int64_t kMaxOfStart = int64_t{16} << 20;

  // The bytes after the packed data of a file when it was opened. Empty for a file that is not
  // packed.
  TrailingBytes TrailingBytesOf(const std::string& path, const FileIdentity& identity)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The files as stored on disk, packed or not.
  FileSystem& source() const { return source_; }

 private:
  struct Entry {
    std::string file_name = {};  // The name of the unpacked file. It tells the bytes after.
    int64_t size_bytes = 0;
    std::list<std::string>::iterator used;
    bool unpacking = false;  // Or being compared.
    bool is_compared = true;
  };
  UnpackedCache(UnpackedCacheOptions options, FileSystem& source)
      : options_(std::move(options)), source_(source) {}
  absl::Status Adopt() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the file if it is undamaged. Removes it otherwise.
  absl::StatusOr<OpenFile> OpenCompared(const std::string& file_name) const;
  // Returns the name of the file.
  absl::StatusOr<std::string> Unpack(const OpenFile& packed, Decoder& decoder,
                                     const std::string& name) ABSL_LOCKS_EXCLUDED(mutex_);
  void Evict(const std::string& keep) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const UnpackedCacheOptions options_;
  FileSystem& source_;
  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::list<std::string> used_ ABSL_GUARDED_BY(mutex_);  // The most recent first.
};

}  // namespace tidemill::storage
