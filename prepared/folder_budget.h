// The bytes that prepared rows may take in a folder, over all processes that use it.
//
//   folder/
//     lock                   held while room is made
//     <digest of a point>/   one folder for each point of a graph
//       about                what a byte of its rows is worth, and what it is, for people
//       1.rows, 2.rows ...   RowFile
//
// When the budget is used up, a byte of the rows stays if it saves more time than a byte of the
// rows that come. So nothing is evicted because it was not used lately: in a random order each row
// is used once an epoch, and a cache that evicts the least recently used row holds none that comes
// next. Rows that came too late are prepared again each time. Points that nothing used for long are
// removed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace tidemill::prepared {

// The worth of rows that a user has asked for: they never give way, and are never unused.
inline constexpr double kAskedFor = 1e18;

// What is written about a point.
struct PointAbout {
  // Nanoseconds saved by a byte of a row over the uses that are expected; or kAskedFor; or 0, which
  // leaves what is written.
  double worth = 0;
  // For people: the dataset, the ops.
  std::string text = {};
};

// Where a folder is.
enum class FolderPlace {
  // Among what belongs to this user, or where an administrator wants it.
  kOwn,
  // Where every user may make folders, as in /dev/shm. The folder and its parent must be this
  // user's alone: whoever could write there could change what models learn.
  kPublic,
};

// Thread-safe. Any number of processes may use a folder, with budgets of their own: each keeps what
// all of them hold within its own.
class FolderBudget {
 public:
  // `bytes` may be 0: then there is room for nothing. Points that were not used within
  // `keep_unused` are removed here; what is not a point is left alone. The folder is made when the
  // first point is opened.
  FolderBudget(std::string folder, int64_t bytes, Duration keep_unused,
               FolderPlace place = FolderPlace::kOwn);

  // PERMISSION_DENIED, with the reason, when other users could write into the folder. OK when it is
  // not there yet.
  absl::Status Check() const;
  // Makes the folder. Returns the errors of Check() and files::CreateFolder().
  absl::Status MakeFolder() const;

  // Makes the folder of a point, and notes what it is worth and that it is used now. What a user
  // has asked for keeps its worth. Returns the errors of MakeFolder() and files::WriteAtomically().
  absl::StatusOr<std::string> OpenPoint(std::string_view digest, const PointAbout& about) const;

  // Whether a user has asked for the rows of a point.
  bool IsAskedFor(std::string_view digest) const;

  // Calls `take` with `bytes` or more, for which there is room, after rows that are worth
  // less than those of this point were removed to make it. Until it returns, no other process makes
  // room. RESOURCE_EXHAUSTED when there is none; NOT_FOUND when the folder was removed;
  // PERMISSION_DENIED or UNAVAILABLE when it cannot be locked.
  absl::Status MakeRoom(std::string_view digest, int64_t bytes,
                        const std::function<void(int64_t)>& take) const;

  // Returns the bytes that the rows of these points may take, together.
  int64_t BytesFor(std::span<const std::string> digests) const;

  const std::string& folder() const { return folder_; }
  int64_t bytes() const { return bytes_; }

 private:
  void RemoveUnused(Duration keep_unused) const;

  std::string folder_;
  int64_t bytes_ = 0;
  FolderPlace place_ = FolderPlace::kOwn;
};

// Returns the paths of the files of rows in a folder, of all points; none when there is no folder.
// PERMISSION_DENIED when it cannot be listed.
absl::StatusOr<std::vector<std::string>> RowFilesIn(const std::string& folder);

}  // namespace tidemill::prepared
