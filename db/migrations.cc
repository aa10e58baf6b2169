#include "db/migrations.h"

#include <algorithm>
#include <string>

#include "base/digest.h"
#include "base/logs/log.h"
#include "db/fencing.h"

namespace tidemill::db {
namespace {

// {} is the schema: a constant of the program, never input.
constexpr char kPrepare[] = R"(
  CREATE SCHEMA IF NOT EXISTS {0};
  CREATE TABLE IF NOT EXISTS {0}.schema_migrations (
    number integer PRIMARY KEY,
    name text NOT NULL,
    digest text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  ))";

constexpr char kLock[] = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";

constexpr char kSelectApplied[] =
    "SELECT number, name, digest FROM {}.schema_migrations ORDER BY number";

constexpr char kInsertApplied[] =
    "INSERT INTO {}.schema_migrations (number, name, digest) VALUES ($1, $2, $3)";

absl::Status CheckNumbers(std::span<const Migration> migrations) {
  int expected = 1;
  for (const Migration& migration : migrations) {
    if (migration.number != expected++) {
      return InvalidArgument("migration {} does not have the number {}", migration.name,
                             expected - 1);
    }
  }
  return absl::OkStatus();
}

// Compares what was applied with what this program knows.
absl::Status CheckApplied(const pqxx::result& applied, std::string_view schema,
                          std::span<const Migration> migrations) {
  if (applied.size() > migrations.size()) {
    return FailedPrecondition("schema {} is at migration {}, which is newer than this program's {}",
                              schema, applied.back().at(0).as<int>(), migrations.size());
  }
  for (size_t i = 0; i < applied.size(); ++i) {
    const auto row = applied.at(static_cast<pqxx::result::size_type>(i));
    const Migration& migration = migrations[i];
    if (row.at(0).as<int>() != migration.number) {
      return FailedPrecondition("schema {} lacks migration {}", schema, migration.name);
    }
    if (row.at(1).as<std::string>() != migration.name ||
        row.at(2).as<std::string>() != Sha256(migration.sql)) {
      return FailedPrecondition("migration {} of schema {} has changed since it was applied as {}",
                                migration.name, schema, row.at(1).as<std::string>());
    }
  }
  return absl::OkStatus();
}

// Applies the first one that is missing. False when none is.
absl::StatusOr<bool> ApplyNext(pqxx::work& work, const std::string& schema,
                               std::span<const Migration> migrations) {
  work.exec_params(kLock, fmt::format("tidemill migrations of {}", schema));
  work.exec(fmt::format(kPrepare, schema));
  work.exec(FencingTables(schema));
  const pqxx::result applied = work.exec(fmt::format(kSelectApplied, schema));
  RETURN_IF_ERROR(CheckApplied(applied, schema, migrations));
  if (applied.size() == migrations.size()) return false;
  const Migration& next = migrations[applied.size()];
  work.exec(std::string(next.sql));
  work.exec_params(fmt::format(kInsertApplied, schema), next.number, std::string(next.name),
                   Sha256(next.sql));
  log::Info("schema migrated", {{"schema", schema}, {"migration", std::string(next.name)}});
  return true;
}

}  // namespace

absl::Status Migrate(Database& database, std::string_view schema,
                     std::span<const Migration> migrations) {
  RETURN_IF_ERROR(CheckNumbers(migrations));
  bool more = true;
  while (more) {
    const absl::Status status = database.Transact([&](pqxx::work& work) -> absl::Status {
      ASSIGN_OR_RETURN(more, ApplyNext(work, std::string(schema), migrations));
      return absl::OkStatus();
    });
    if (!status.ok()) return Annotate(status, fmt::format("cannot migrate schema {}", schema));
  }
  return absl::OkStatus();
}

}  // namespace tidemill::db
