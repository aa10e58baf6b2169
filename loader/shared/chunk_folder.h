// The files of a shared stream in which chunks of rows wait for their consumers. See
// docs/formats/shared_rows.md.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "loader/training_set.h"

namespace tidemill::loader {

struct StoredChunk {
  int64_t number = 0;
  int64_t bytes = 0;
};

// The chunks of a stream as one consumer sees them. Files of dropped chunks are written again once
// no consumer reads them: their memory is there, and consumers have mapped it. Thread-safe.
class ChunkFolder {
 public:
  explicit ChunkFolder(std::string path);
  ChunkFolder(const ChunkFolder&) = delete;
  ChunkFolder& operator=(const ChunkFolder&) = delete;
  // Rows that were read stay.
  ~ChunkFolder();

  // Returns the approximate bytes of the file of a chunk. `rows` has at most one piece.
  static int64_t BytesOf(const Rows& rows);

  // Makes the file of a chunk. It appears as a whole, or not at all, also when the process dies. OK
  // when it is already there. RESOURCE_EXHAUSTED when shared memory is full; UNAVAILABLE when the
  // folder is gone. `rows` has at most one piece.
  absl::Status Write(int64_t number, const Rows& rows) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns views of a chunk, which outlive its file and this object. NOT_FOUND when there is none.
  // DATA_LOSS when its bytes are not those that were written.
  absl::StatusOr<Rows> Read(int64_t number) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the chunks, the lowest number first.
  std::vector<StoredChunk> List() const;

  // Gives up a chunk, whose file may be written again; or removes its file.
  void Drop(int64_t number) const;
  void Remove(int64_t number) const;

  // Removes files that wait to be written again, but for at most `bytes`. Returns the bytes that
  // are left.
  int64_t TrimFree(int64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  class Mapped;

  absl::StatusOr<std::shared_ptr<Mapped>> Map(const std::string& path) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Full() const;
  absl::Status Gone() const;

  const std::string path_;
  Mutex mutex_;
  // Shared with the rows that were read. By inode: a file has several names in its life.
  std::map<ino_t, std::shared_ptr<Mapped>> mapped_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::loader
