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
// A path is walked name by name, from the descriptor of its root. Each folder is opened in the one
// before it, without following a link. A link is read and judged before it is followed: its target
// is walked in the same way, and has to lie below a root, whichever. So somebody who exchanges
// folders and links meanwhile changes which file below the roots is opened, and never brings about
// that one elsewhere is. Of what lies outside nothing is touched, so that no answer depends on what
// is there.
//
// Refusals are INVALID_ARGUMENT: a path that is relative, outside the roots, leads outside by a
// link, or lies in the folder of a stack's state. Each has always the same words, whether the file
// exists or not.
class AllowedFolders {
 public:
  // The roots are opened here. A root that is relative, does not exist, or is not a folder allows
  // nothing. A root that is a link is known by both its names. A root below another is a folder of
  // that one: if it is a link, it has to lead below a root. `states` may be null. `outside` ends
  // the sentence about a path outside: "path '/x' " + outside.
  AllowedFolders(const std::vector<std::string>& allowed,
                 std::shared_ptr<const StateFolders> states, std::string outside);
  ~AllowedFolders();
  AllowedFolders(const AllowedFolders&) = delete;
  AllowedFolders& operator=(const AllowedFolders&) = delete;

  // Returns the path without links. NOT_FOUND when nothing is there, or it cannot be looked at.
  absl::StatusOr<std::string> Resolve(const std::string& path) const;

  // Returns what the file system says of it. The codes are those of Resolve().
  absl::StatusOr<struct stat> Look(const std::string& path) const;

  // Opens a regular file for reading. It never waits for a pipe or a device. INVALID_ARGUMENT when
  // it is something else. NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED without descriptors.
  absl::StatusOr<Descriptor> OpenFile(const std::string& path) const;

  struct Folder {
    std::string path;  // Without links.
    Descriptor descriptor;
  };
  // Opens a folder to be listed. NOT_FOUND also when it is not a folder. Other codes are those of
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

  // Does the second only if it is allowed to go by links. Returns whether it has done all it can.
  bool Allow(const std::string& written, bool by_links);
  // The path is not touched.
  std::optional<Place> Locate(const std::string& path) const;
  // Opens a file in a folder that an earlier walk went to: the kernel goes there at once, by no
  // link. Returns none where that does not do; the walk tells why.
  Descriptor OpenInKnown(const Place& place) const ABSL_LOCKS_EXCLUDED(mutex_);
  void Remember(int folder) const ABSL_LOCKS_EXCLUDED(mutex_);
  const Root* RootAt(const std::string& path) const;

  const std::shared_ptr<const StateFolders> states_;
  const std::string outside_;
  std::vector<Root> roots_;
  std::vector<Alias> aliases_;
  mutable Mutex mutex_;
  // Folders that lie in no stack's state.
  mutable absl::flat_hash_set<Inode> walked_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill
