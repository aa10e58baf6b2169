// What `tidemill down --purge` takes away, known before anything goes. A stack's files are known by
// their names and by the identities of its two halves (stack_identity.h): nothing is removed only
// because a file names its path.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/stack/local_stack.h"

namespace tidemill::cli {

// What goes, and what stays. A value.
struct StackRemoval {
  // Files and folders that are removed with all that they hold, in this order.
  std::vector<std::string> paths;
  // Whether the database's folder is among them.
  bool has_database = false;
  // The processes that are ended first: "4711 (tidemill)".
  std::vector<std::string> processes;
  // What stays although it looks as if it belonged to the stack, each with the reason.
  std::vector<std::string> left;
};

// Returns what the removal of a stack takes. Of a copied state folder that is the copy alone; its
// original, with the database, stays. Files in a state folder that no stack has written stay, too.
// Nothing, when the state folder is not there or is empty. FAILED_PRECONDITION when the folder is
// no state folder, when it is another one by a second path, or when it cannot be told whether it
// was copied or moved.
absl::StatusOr<StackRemoval> PlanRemoval(const StackLayout& layout);

// Removes it. Its processes must have ended, except a PostgreSQL without a keeper, which this ends.
absl::Status CarryOut(const StackRemoval& removal, const StackLayout& layout);

}  // namespace tidemill::cli
