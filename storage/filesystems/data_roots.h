// Decides which paths storage may touch. It is the only place that decides it: for registered
// datasets, for those that are only looked at, and for every link in them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::storage {

// The folders, and s3://bucket/folder, below which data may lie. A value.
//
//   ASSIGN_OR_RETURN(const std::string path, roots.Resolve(asked));  // Nothing else is opened.
//
// A path outside the roots is refused by its text alone. Nothing of it is touched, so that no
// answer depends on what is there. A path inside is walked name by name. The target of a link is
// checked before the link is followed.
class DataRoots {
 public:
  // A root that does not exist, or is not a folder, allows nothing.
  explicit DataRoots(const std::vector<std::string>& allowed);

  // Returns the path with its links resolved; it is below a root. INVALID_ARGUMENT, always in the
  // same words, when it is outside the roots, leads outside by a link, or is relative. NOT_FOUND
  // when it is inside but nothing is there, or it cannot be looked at. An object store is not
  // asked.
  absl::StatusOr<std::string> Resolve(const std::string& path) const;

  // Whether Resolve() returns a path.
  bool Admits(const std::string& path) const { return Resolve(path).ok(); }

 private:
  struct Root {
    std::string written;   // As configured, in normal form.
    std::string resolved;  // Without links.
  };

  // The names below a root that lead to the path. The path is not touched.
  struct Place {
    std::string root;
    std::string below;
  };
  std::optional<Place> Locate(const std::string& path) const;

  // The state of a walk along a path, name by name, with the links on the way.
  struct Walk {
    // The present path, without links. Outside the roots nothing is touched, so there this holds
    // only if `is_known`.
    std::string at;
    std::deque<std::string> ahead;
    bool is_known = true;
    int num_links = 0;
  };
  absl::Status StepInside(const std::string& name, const std::string& asked, Walk& walk) const;
  // Goes on by text alone, because the walk may reach a root.
  void StepOutside(const std::string& name, Walk& walk) const;
  bool IsInside(const std::string& path) const;
  absl::StatusOr<std::string> ResolveObject(const std::string& path) const;

  std::vector<Root> folders_;
  std::vector<std::string> objects_;  // s3://bucket/folder.
};

}  // namespace tidemill::storage
