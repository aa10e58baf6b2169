// Ties a state folder to its private database, which for root is elsewhere. A state folder that was
// moved finds its database again, and never uses the database of another state folder. Both contain
// a file `identity` with the same number and the path of the other.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/stack/local_stack.h"

namespace tidemill::cli {

// Returns the path of the database in a state folder's identity file. Empty when there is none.
std::string KnownDatabaseFolder(const std::string& state_folder);

// OK when the two belong together, or when there is nothing yet. FAILED_PRECONDITION gives the
// reason (the database is gone, it belongs to another state folder, the state folder is a copy) and
// the remedy.
absl::Status CheckIdentity(const StackLayout& layout);

// The owner of a layout's database.
enum class DatabaseOwnership {
  kNone,       // There is no database.
  kOwn,        // It belongs to this state folder alone.
  kOriginals,  // This state folder is a copy; the database is its original's.
  kMoved,  // It was bound to this state folder at its earlier path, where no folder is now. A copy
           // of a folder that has been moved since then looks the same.
  kAnothers,  // It belongs to another state folder.
};
struct DatabaseOwner {
  DatabaseOwnership ownership = DatabaseOwnership::kNone;
  // The state folder that the database names; empty when it names none.
  std::string state_folder;
};
DatabaseOwner OwnerOfDatabase(const StackLayout& layout);

// Whether the state folder is a copy of another one, to which the database belongs.
bool IsCopy(const StackLayout& layout);

// Whether a stack has kept its files in this folder. The proof is the file `identity`, which the
// first start writes; in a folder of an older version, its configuration and its token; after an
// interrupted first start, that the folder has only the files of a start.
bool IsStateFolder(const std::string& folder);

// Writes both files when they are not up to date. The database folder must exist.
absl::Status KeepIdentity(const StackLayout& layout);

}  // namespace tidemill::cli
