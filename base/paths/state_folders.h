// Recognises the state folders of stacks. They hold tokens, databases and models, and are never
// data.
#pragma once

#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace tidemill {

// The file that marks the state folder of a local stack, and the folder of its database. It has two
// lines: a number, and the path of the other folder.
inline constexpr char kStateMark[] = "identity";

// Thread-safe, because it is immutable.
class StateFolders {
 public:
  // `own` are folders and files of this stack: its state folder, the file of its tokens. They are
  // recognised by device and inode, and so are the folders directly below them. So they cannot be
  // reached by another name either: another path, a bind mount or a hard link. Paths that do not
  // exist are left out.
  explicit StateFolders(const std::vector<std::string>& own);

  // Whether an open folder is one of this stack's own, or has the mark of another stack.
  bool Contains(int folder) const;
  // Whether a file is one of this stack's own.
  bool Contains(const struct stat& file) const;
  // Whether an open folder is such a folder, or is below one.
  bool ContainsBelow(int folder) const;

 private:
  using Inode = std::pair<dev_t, ino_t>;
  absl::flat_hash_set<Inode> own_;
};

}  // namespace tidemill
