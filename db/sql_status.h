// What PostgreSQL's error codes mean to callers.
#pragma once

#include <string_view>

#include "base/status.h"

namespace tidemill::db {

// A failure with a five-character SQLSTATE, empty when the server sent none. Lost connections are
// UNAVAILABLE, unique violations ALREADY_EXISTS, foreign keys FAILED_PRECONDITION, a full disk
// RESOURCE_EXHAUSTED, texts that are not UTF-8 INVALID_ARGUMENT, anything else INTERNAL.
absl::Status FromSqlState(std::string_view state, std::string_view message);

// What callers of a service are told of such a failure: the same code, what it means to them, and
// the number under which this process's log has the words of PostgreSQL, which name tables,
// statements and values. Logs them.
absl::Status Concealed(const absl::Status& failure);

// The transaction may succeed when run again: serialisation failures and deadlocks.
bool IsConflict(std::string_view state);

// The server hung up, is starting or is shutting down.
bool IsDisconnection(std::string_view state);

}  // namespace tidemill::db
