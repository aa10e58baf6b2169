// Makes commands safe to retry, and refuses the commands of a supervisor that was replaced.
//
//   database.Transact([&](pqxx::work& work) -> absl::Status {
//     RETURN_IF_ERROR(db::CheckFence(work, "selector", request.command()));
//     ASSIGN_OR_RETURN(const auto known, db::FindAnswer(work, "selector", id));
//     if (known) return Parse(*known, response);
//     ...
//     return db::RememberAnswer(work, "selector", id, response->SerializeAsString());
//   });
//
// db::Migrate() creates the two tables for this, `<schema>.fences` and `<schema>.requests`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include <pqxx/pqxx>

namespace tidemill::rpc::v1 {
class Command;
}

namespace tidemill::db {

// Keeps the highest run_epoch seen for each run. FAILED_PRECONDITION for a lower one. OK for a
// command that belongs to no run. Until the transaction ends, no higher epoch is accepted, so that
// all its writes belong to its epoch. Throws what libpqxx throws; Transact() catches it.
absl::Status CheckFence(pqxx::work& work, std::string_view schema, const rpc::v1::Command& command);

// Returns the answer that was given to the request before. Another transaction with the same
// request waits until this one ends. INVALID_ARGUMENT when the id is not a label (base/names.h).
// Throws like CheckFence().
absl::StatusOr<std::optional<std::string>> FindAnswer(pqxx::work& work, std::string_view schema,
                                                      const std::string& request_id);

// Keeps the answer for 30 days, and deletes older ones. ALREADY_EXISTS when the request has an
// answer. Throws like CheckFence().
absl::Status RememberAnswer(pqxx::work& work, std::string_view schema,
                            const std::string& request_id, const std::string& answer);

// Returns the statement that creates the two tables if they are missing.
std::string FencingTables(std::string_view schema);

}  // namespace tidemill::db
