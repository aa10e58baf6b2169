// Limits the size of the file that receives a process's log lines through its standard error.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/mutex.h"

namespace tidemill::log {

// Names the file that standard error is, for Configure() of log.h. The process that starts another
// one sets it.
inline constexpr char kFileVariable[] = "TIDEMILL_LOG_FILE";
// The size at which such a file is rotated, and the number of earlier files that are kept.
inline constexpr int64_t kMaxFileBytes = int64_t{8} << 20;
inline constexpr int kKeptFiles = 3;

// Standard error is this file at first. Once it has `max_bytes`, it becomes `<path>.1`, the earlier
// `<path>.1` becomes `<path>.2`, and so on; the file that would be number `num_kept` + 1 is
// deleted. Lines continue in a new file; no line is lost in between. Child processes share the
// file: the first one that notices rotates it, and the others follow. A standard error that leads
// elsewhere is left alone. Thread-safe.
class LogFile {
 public:
  LogFile(std::string path, int64_t max_bytes, int num_kept);

  // Is called before a line is written. A file that cannot be rotated continues to grow.
  void BeforeLine() ABSL_LOCKS_EXCLUDED(mutex_);

  // The path of the file, or of the kept one with that number, from 1.
  static std::string PathOf(const std::string& path, int number);

 private:
  using Identity = std::pair<dev_t, ino_t>;

  void Rotate() const;
  // Makes the file at the path the standard error, and the standard output where that was the same.
  void Follow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string path_;
  const int64_t max_bytes_;
  const int num_kept_;
  Mutex mutex_;
  Identity current_ ABSL_GUARDED_BY(mutex_);  // What standard error is, unless others changed it.
};

}  // namespace tidemill::log
