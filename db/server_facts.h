// What a PostgreSQL server says of itself, for whoever looks after it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "db/database.h"

namespace tidemill::db {

struct ServerFacts {
  int version = 0;  // 150013: 15.13.
  Timestamp time;   // Of the server's clock.
  // Settings that keep acknowledged work through a power failure and are off.
  std::vector<std::string> off;
  int64_t size_bytes = 0;  // Of the database.
  int num_connections = 0;
  int max_connections = 0;
};

absl::StatusOr<ServerFacts> ReadServerFacts(Database& database);

// The number of the last migration applied to a schema; std::nullopt where there is no such schema.
absl::StatusOr<std::optional<int>> LastMigration(Database& database, const std::string& schema);

}  // namespace tidemill::db
