// A cluster of PostgreSQL that is made once and then copied: initdb takes ten times as long as a
// copy.
//
// All copies have the same system identifier, by which backups and replicas of PostgreSQL tell
// clusters apart. Therefore this is for tests alone.
#pragma once

#include <string>

#include "base/status.h"
#include "db/postgres_programs.h"

namespace tidemill::db {

// Makes a cluster at `target`, which does not exist, as a copy of the one that `initdb`, without
// --pgdata, has made before. `folder` keeps those, by the arguments and by the program, so that
// another PostgreSQL makes its own. Processes may do this at once. The account owns all of it.
absl::Status CopyCluster(const Account& account, const Program& initdb, const std::string& folder,
                         const std::string& target);

}  // namespace tidemill::db
