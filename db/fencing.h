// Makes commands safe to repeat and refuses those of a supervisor that was replaced.
//
//   database.Transact([&](pqxx::work& work) -> absl::Status {
//     RETURN_IF_ERROR(db::CheckFence(work, "selector", request.command()));
//     ASSIGN_OR_RETURN(const auto known, db::FindAnswer(work, "selector", id));
//     if (known) return Parse(*known, response);
//     ...
//     return db::RememberAnswer(work, "selector", id, response->SerializeAsString());
//   });
//
// db::Migrate() makes the two tables behind it, `<schema>.fences` and `<schema>.requests`.
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

// Keeps the highest run_epoch seen of each run. FAILED_PRECONDITION for a lower one; OK for a
// command on behalf of no run. No higher epoch is admitted before the transaction ends, so what
// this one writes was written in its epoch. Throws what libpqxx throws, for Transact to catch.
absl::Status CheckFence(pqxx::work& work, std::string_view schema, const rpc::v1::Command& command);

// The answer given to the request before. Another transaction that asks for the same request waits
// until this one ends. INVALID_ARGUMENT for an id that is no label (base/names.h). Throws like
// CheckFence.
absl::StatusOr<std::optional<std::string>> FindAnswer(pqxx::work& work, std::string_view schema,
                                                      const std::string& request_id);

// Keeps the answer for 30 days, and forgets those that are older. ALREADY_EXISTS when there is one
// already. Throws like CheckFence.
absl::Status RememberAnswer(pqxx::work& work, std::string_view schema,
                            const std::string& request_id, const std::string& answer);

// The statement that makes the two tables where they are missing.
std::string FencingTables(std::string_view schema);

}  // namespace tidemill::db
