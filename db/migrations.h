// Numbered, forward-only schema changes, one schema per service.
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"
#include "db/database.h"

namespace tidemill::db {

// One file of `<service>/migrations/`, embedded at build time by tidemill_migrations().
struct Migration {
  int number;             // 1, 2, 3 ...
  std::string_view name;  // "0001_datasets"
  std::string_view sql;
};

// Migrates `schema` to the last migration. Each migration is a transaction under an advisory lock,
// so that processes that start together apply it once. Creates the schema and the tables of
// db/fencing.h. Numbers run from 1 without holes. Applied migrations are recorded with their
// SHA-256 in `<schema>.schema_migrations`. FAILED_PRECONDITION when an applied migration has
// changed since, or when the database is newer than this program.
absl::Status Migrate(Database& database, std::string_view schema,
                     std::span<const Migration> migrations);

}  // namespace tidemill::db
