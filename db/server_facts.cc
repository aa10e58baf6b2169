#include "db/server_facts.h"

#include "fmt/format.h"

namespace tidemill::db {
namespace {

constexpr char kSelectFacts[] = R"(
  SELECT current_setting('server_version_num')::int,
         (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
         pg_database_size(current_database()),
         (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int,
         current_setting('max_connections')::int,
         current_setting('data_checksums')::bool)";
constexpr char kSelectOff[] = R"(
  SELECT name FROM pg_settings
  WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
  ORDER BY name)";
constexpr char kSchemaIsThere[] = "SELECT to_regclass($1 || '.schema_migrations') IS NOT NULL";
constexpr char kSelectLast[] = "SELECT coalesce(max(number), 0) FROM {}.schema_migrations";

}  // namespace

absl::StatusOr<ServerFacts> ReadServerFacts(Database& database) {
  ServerFacts facts;
  RETURN_IF_ERROR(database.Transact([&](pqxx::work& work) {
    facts = {};
    const pqxx::row row = work.exec1(kSelectFacts);
    facts.version = row[0].as<int>();
    facts.time = {row[1].as<int64_t>()};
    facts.size_bytes = row[2].as<int64_t>();
    facts.num_connections = row[3].as<int>();
    facts.max_connections = row[4].as<int>();
    facts.has_checksums = row[5].as<bool>();
    for (const pqxx::row& off : work.exec(kSelectOff)) facts.off.push_back(off[0].c_str());
    return absl::OkStatus();
  }));
  return facts;
}

absl::StatusOr<std::optional<int>> LastMigration(Database& database, const std::string& schema) {
  std::optional<int> last;
  RETURN_IF_ERROR(database.Transact([&](pqxx::work& work) {
    last.reset();
    if (!work.exec_params1(kSchemaIsThere, schema)[0].as<bool>()) return absl::OkStatus();
    last = work.exec1(fmt::format(kSelectLast, work.quote_name(schema)))[0].as<int>();
    return absl::OkStatus();
  }));
  return last;
}

}  // namespace tidemill::db
