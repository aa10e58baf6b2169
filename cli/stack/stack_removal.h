// Plans what `tidemill down --purge` removes, before anything is removed. A stack's files are
// recognised by their names and by the identities of its two folders (stack_identity.h): no path is
// removed only because a file contains it.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/stack/local_stack.h"

namespace tidemill::cli {

// A plan of a removal. A value.
struct StackRemoval {
  // Files and folders that are removed with all that they hold, in this order.
  std::vector<std::string> paths;
  // Whether the database's folder is among them.
  bool has_database = false;
  // The processes that are ended first: "4711 (tidemill)".
  std::vector<std::string> processes;
  // Paths that stay although they seem to belong to the stack, each with the reason.
  std::vector<std::string> left;
};

// Returns the plan for a stack. For a copied state folder, only the copy is removed; its original,
// with the database, stays. Files in a state folder that no stack has written stay, too. The plan
// is empty when the state folder does not exist or is empty. FAILED_PRECONDITION when the folder is
// not a state folder, when it is the state folder of another stack under a second path, or when it
// is unknown whether it was copied or moved.
absl::StatusOr<StackRemoval> PlanRemoval(const StackLayout& layout);

// Carries out the plan. The stack's processes must have ended, except a PostgreSQL without a
// keeper, which this ends.
absl::Status CarryOut(const StackRemoval& removal, const StackLayout& layout);

}  // namespace tidemill::cli
