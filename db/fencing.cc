#include "db/fencing.h"

#include "base/names.h"
#include "tidemill/rpc/v1/rpc.pb.h"

namespace tidemill::db {
namespace {

// {} is the schema: a constant of the program, never input.
constexpr char kCreateTables[] = R"(
  CREATE TABLE IF NOT EXISTS {0}.fences (
    run_id bigint PRIMARY KEY,
    run_epoch bigint NOT NULL
  );
  CREATE TABLE IF NOT EXISTS {0}.requests (
    request_id text PRIMARY KEY,
    answer bytea NOT NULL,
    answered_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX IF NOT EXISTS requests_answered_at_idx ON {0}.requests (answered_at))";

// Locks nothing when the known epoch is lower, so that raising it cannot deadlock.
constexpr char kSelectEpoch[] = R"(
  SELECT run_epoch FROM {}.fences WHERE run_id = $1 AND run_epoch >= $2 FOR SHARE)";

constexpr char kRaiseEpoch[] = R"(
  INSERT INTO {0}.fences AS known (run_id, run_epoch) VALUES ($1, $2)
  ON CONFLICT (run_id) DO UPDATE SET run_epoch = excluded.run_epoch
  WHERE known.run_epoch < excluded.run_epoch)";

constexpr char kLockRequest[] = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";

constexpr char kSelectAnswer[] = "SELECT answer FROM {}.requests WHERE request_id = $1";

constexpr char kInsertAnswer[] = R"(
  INSERT INTO {}.requests (request_id, answer) VALUES ($1, $2)
  ON CONFLICT (request_id) DO NOTHING)";

// Served by the index on answered_at. No caller retries a request for that long.
constexpr char kForgetOldAnswers[] = R"(
  DELETE FROM {}.requests WHERE answered_at < now() - interval '30 days')";

}  // namespace

std::string FencingTables(std::string_view schema) { return fmt::format(kCreateTables, schema); }

absl::Status CheckFence(pqxx::work& work, std::string_view schema,
                        const rpc::v1::Command& command) {
  if (command.run_id() == 0) return absl::OkStatus();
  const std::string select = fmt::format(kSelectEpoch, schema);
  pqxx::result known = work.exec_params(select, command.run_id(), command.run_epoch());
  if (known.empty()) {
    work.exec_params(fmt::format(kRaiseEpoch, schema), command.run_id(), command.run_epoch());
    known = work.exec_params(select, command.run_id(), command.run_epoch());
  }
  const auto epoch = known.at(0).at(0).as<int64_t>();
  if (epoch == command.run_epoch()) return absl::OkStatus();
  return FailedPrecondition("run {} is at epoch {}; a command of epoch {} came too late",
                            command.run_id(), epoch, command.run_epoch());
}

absl::StatusOr<std::optional<std::string>> FindAnswer(pqxx::work& work, std::string_view schema,
                                                      const std::string& request_id) {
  RETURN_IF_ERROR(CheckLabel("request id", request_id));
  work.exec_params(kLockRequest, fmt::format("{}/{}", schema, request_id));
  const pqxx::result rows = work.exec_params(fmt::format(kSelectAnswer, schema), request_id);
  if (rows.empty()) return std::optional<std::string>();
  return pqxx::binarystring(rows.at(0).at(0)).str();
}

absl::Status RememberAnswer(pqxx::work& work, std::string_view schema,
                            const std::string& request_id, const std::string& answer) {
  RETURN_IF_ERROR(CheckLabel("request id", request_id));
  const pqxx::result inserted =
      work.exec_params(fmt::format(kInsertAnswer, schema), request_id, pqxx::binarystring(answer));
  work.exec(fmt::format(kForgetOldAnswers, schema));
  if (inserted.affected_rows() == 1) return absl::OkStatus();
  return AlreadyExists("request {} has been answered before", request_id);
}

}  // namespace tidemill::db
