// A window: consecutive batches of an epoch whose samples are divided into batches together.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::loader {

// The batches of a window, for all slices.
struct WindowRows {
  // A sample that could not be read: its position in the epoch, and the reason.
  struct Hole {
    int64_t position = 0;
    bool filtered = false;
    std::string reason;  // Why a sample is bad.
  };

  // Ordered by number. Without columns when nothing could be read.
  std::vector<batch::Batch> batches = {};
  // Ascending. A batch has as many rows as the epoch's order gives it positions without a hole.
  std::vector<Hole> holes = {};

  int64_t Bytes() const;
};

// Caches recent windows for the consumers of a job, because several of them need each window.
// Thread-safe.
class WindowCache {
 public:
  using Make = std::function<absl::StatusOr<WindowRows>()>;

  // Keeps windows up to `budget` bytes, and always the last one.
  explicit WindowCache(int64_t budget) : budget_(budget) {}

  // Returns the window whose first batch has this number. The first caller makes it; others wait.
  // The caller that made it receives a failure. Then another caller tries again.
  absl::StatusOr<std::shared_ptr<const WindowRows>> Get(int64_t first_batch, const Make& make)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Window = std::shared_ptr<const WindowRows>;  // The callers that cut slices of it share it.
  struct Entry {
    Window rows;  // nullptr while it is being made.
    int64_t bytes = 0;
  };

  void Keep(int64_t first_batch, const Window& rows) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Touch(int64_t first_batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t budget_;
  Mutex mutex_;
  CondVar changed_;
  std::map<int64_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  std::list<int64_t> used_ ABSL_GUARDED_BY(mutex_);  // The finished windows, the most recent last.
  int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tidemill::loader
