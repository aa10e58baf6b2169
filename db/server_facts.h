// Facts about a PostgreSQL server for its operator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "db/database.h"

namespace tidemill::db {

struct ServerFacts {
  int version = 0;  // 150013 is 15.13.
  Timestamp time;   // By the server's clock.
  // The settings that are off although committed work needs them to survive a power failure.
  std::vector<std::string> off;
  // Whether the server detects damaged pages.
  bool has_checksums = false;
  int64_t size_bytes = 0;  // The size of the database.
  int num_connections = 0;
  int max_connections = 0;
};

absl::StatusOr<ServerFacts> ReadServerFacts(Database& database);

// Returns the number of the last migration applied to a schema. std::nullopt when there is no such
// schema.
absl::StatusOr<std::optional<int>> LastMigration(Database& database, const std::string& schema);

}  // namespace tidemill::db
