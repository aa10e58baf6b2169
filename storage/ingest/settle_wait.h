// Decides how long a sync waits for files that still change.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "storage/catalog/file_scan.h"
#include "storage/filesystems/file_system.h"

namespace tidemill::storage {

// A file whose present content a sync did not take.
struct FileNotTaken {
  std::string path = {};  // The absolute path.
  std::string reason = {};
};

// Remembers which files were there when a sync began. The sync is to take these, and waits for
// them: other files may always come. It holds eight bytes for each file. Thread-compatible.
class SettleWait {
 public:
  using Clock = std::chrono::steady_clock;

  // The sync waits until `limit` after `begin`.
  SettleWait(Duration limit, Clock::time_point begin)
      : limit_(limit), end_(begin + std::chrono::microseconds(limit.micros)) {}

  // The first listing of the sync has the files that it is to take. Later ones change nothing.
  void Begin(const DatasetSpec& spec, const FileListing& listing);

  // Returns the files of the scan that the sync is to take and that still change.
  std::vector<UnsettledFile> Awaited(const FileScan& scan) const;

  // Returns how long to wait for these files before they are looked at again. Absent when there are
  // none, and when none of them settles before the end of the wait.
  std::optional<Duration> Pause(const std::vector<UnsettledFile>& awaited, Timestamp now,
                                Clock::time_point clock) const;

  // Only these of the files that were there at first are still to be taken. Returns how long to
  // wait before they are looked at again; absent when the wait has ended, or there are none.
  std::optional<Duration> Continue(const std::vector<std::string>& changed_while_read,
                                   const std::vector<UnsettledFile>& awaited, Duration settle,
                                   Clock::time_point clock);

  // Says why such a file was not taken.
  std::string WhyUnsettled(Duration settle) const;

 private:
  bool WasThere(std::string_view path) const;
  Duration Left(Clock::time_point clock) const;

  const Duration limit_;
  const Clock::time_point end_;
  bool has_begun_ = false;
  std::vector<uint64_t> there_;  // Hashes of absolute paths, ascending.
};

}  // namespace tidemill::storage
