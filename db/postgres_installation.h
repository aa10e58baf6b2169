// Finds the programs of PostgreSQL on this machine.
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::db {

// The variable that names a folder with PostgreSQL's programs besides Debian's.
inline constexpr char kPostgresVariable[] = "TIDEMILL_POSTGRES";

// Returns the folder with the programs that a cluster needs. `version`: that of the cluster, which
// no other version can read; 0 to make a cluster. A new one is of the version that the variable
// names, else of Debian's newest, at least 15. FAILED_PRECONDITION when there is none.
absl::StatusOr<std::string> FindPostgresPrograms(int version);

// Returns the version of the cluster with these files, such as 15; 0 when there is no cluster.
int VersionOfCluster(const std::string& data);

}  // namespace tidemill::db
