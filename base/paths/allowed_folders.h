// Opens files and folders that users name, and only those below folders that are allowed. It is the
// only place that follows a user's path.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "base/descriptor.h"
#include "base/mutex.h"
#include "base/paths/state_folders.h"
#include "base/status.h"

namespace tidemill {

// The allowed folders ("roots"). Thread-safe, because it is immutable.
//
//   AllowedFolders folders({"/data"}, state_folders, "is in no allowed folder");
//   ASSIGN_OR_RETURN(const Descriptor file, folders.OpenFile("/data/a/b.csv"));
//
// A path is walked name by name, from the descriptor of its root. Each folder is opened relative to
// the one before it, without following a link. A link is read and checked before it is followed:
// its target is walked in the same way, and must be below one of the roots. So an attacker who
// exchanges folders and links during the walk can change which file below the roots is opened, but
// cannot make a file elsewhere be opened. Nothing outside the roots is touched, so no answer
// depends on files outside.
//
// Refusals are INVALID_ARGUMENT: a path that is relative, outside the roots, leads outside by a
// link, or is in the folder of a stack's state. The words of a refusal do not depend on whether the
// file exists.
class AllowedFolders {
 public:
  // Opens the roots. A root that is relative, does not exist, or is not a folder allows nothing. A
  // root that is a link is known by both its names. A root below another root is treated as a
  // folder of it: if it is a link, it must lead below a root. `states` may be null. `outside` ends
  // the sentence about a path outside: "path '/x' " + outside.
  AllowedFolders(const std::vector<std::string>& allowed,
                 std::shared_ptr<const StateFolders> states, std::string outside);
  ~AllowedFolders();
  AllowedFolders(const AllowedFolders&) = delete;
  AllowedFolders& operator=(const AllowedFolders&) = delete;

  // Returns the path without links. NOT_FOUND when the path does not exist or cannot be examined.
  absl::StatusOr<std::string> Resolve(const std::string& path) const;

  // Returns the stat() of the path. The codes are as in Resolve().
  absl::StatusOr<struct stat> Look(const std::string& path) const;

  // Opens a regular file for reading. It never waits for a pipe or a device. INVALID_ARGUMENT when
  // it is something else. NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED without descriptors.
  absl::StatusOr<Descriptor> OpenFile(const std::string& path) const;

  struct Folder {
    std::string path;  // Without links.
    Descriptor descriptor;
  };
  // Opens a folder to be listed. NOT_FOUND also when it is not a folder. Other codes are as in
  // OpenFile().
  absl::StatusOr<Folder> OpenFolder(const std::string& path) const;

  // Whether an open folder is one of a stack's state, which is never data.
  bool IsState(int folder) const { return states_ != nullptr && states_->Contains(folder); }

 private:
  class Walk;
  using Inode = std::pair<dev_t, ino_t>;
  struct Root {
    std::string path;  // Without links.
    Descriptor folder;
    bool is_state = false;
  };
  // Another name of a folder at or below a root.
  struct Alias {
    std::string written;
    std::string path;  // Without links.
  };
  // The names below a root that lead to a path.
  struct Place {
    const Root* root;
    std::string below;
  };

  // Adds the aliases only with `by_links`. Returns whether nothing is left to add.
  bool Allow(const std::string& written, bool by_links);
  // The path is not touched.
  std::optional<Place> Locate(const std::string& path) const;
  // Opens a file in a folder that an earlier walk reached, with one call of the kernel that follows
  // no link. Returns an empty Descriptor when that fails; the walk then finds the reason.
  Descriptor OpenInKnown(const Place& place) const ABSL_LOCKS_EXCLUDED(mutex_);
  void Remember(int folder) const ABSL_LOCKS_EXCLUDED(mutex_);
  const Root* RootAt(const std::string& path) const;

  const std::shared_ptr<const StateFolders> states_;
  const std::string outside_;
  std::vector<Root> roots_;
  std::vector<Alias> aliases_;
  mutable Mutex mutex_;
  // Folders outside the state of any stack.
  mutable absl::flat_hash_set<Inode> walked_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill
