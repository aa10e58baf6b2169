// Which paths storage may touch: the one place where that is decided, for datasets that are
// registered, for those that are only looked at, and for every link found in them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::storage {

// Folders, and s3://bucket/folder, below which data may lie. A value.
//
//   ASSIGN_OR_RETURN(const std::string path, roots.Resolve(asked));  // Nothing else is opened.
//
// A path outside is refused by its text alone: nothing of it is touched, so that no answer depends
// on what is there. A path inside is walked one name after another, and a link's target is judged
// before it is followed.
class DataRoots {
 public:
  // Roots that are not there, or no folders, admit nothing.
  explicit DataRoots(const std::vector<std::string>& allowed);

  // The path with its links resolved; it lies below a root. INVALID_ARGUMENT, always in the same
  // words, for one that lies outside or leads there by a link, and for a relative one; NOT_FOUND
  // for one inside that nothing is at, or that cannot be looked at. An object store is not asked.
  absl::StatusOr<std::string> Resolve(const std::string& path) const;

  // Whether Resolve() would answer with a path.
  bool Admits(const std::string& path) const { return Resolve(path).ok(); }

 private:
  struct Root {
    std::string written;   // As it was configured, made normal.
    std::string resolved;  // Without links.
  };

  // The names below a root that lead to the path, which is not touched.
  struct Place {
    std::string root;
    std::string below;
  };
  std::optional<Place> Locate(const std::string& path) const;

  // On the way to a path, name by name, links as they are met.
  struct Walk {
    // Holds no link. Outside the roots nothing is touched: then it is so only if `is_known`.
    std::string at;
    std::deque<std::string> ahead;
    bool is_known = true;
    int num_links = 0;
  };
  absl::Status StepInside(const std::string& name, const std::string& asked, Walk& walk) const;
  // By text alone, in the hope of a root.
  void StepOutside(const std::string& name, Walk& walk) const;
  bool IsInside(const std::string& path) const;
  absl::StatusOr<std::string> ResolveObject(const std::string& path) const;

  std::vector<Root> folders_;
  std::vector<std::string> objects_;  // s3://bucket/folder.
};

}  // namespace tidemill::storage
