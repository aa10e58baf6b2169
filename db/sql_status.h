// The meaning of PostgreSQL's error codes for callers.
#pragma once

#include <string_view>

#include "base/status.h"

namespace tidemill::db {

// Returns the status for a five-character SQLSTATE, which is empty when the server sent none. Lost
// connections are UNAVAILABLE, as are a full disk (disk_full.h) and the want of a free connection;
// unique violations are ALREADY_EXISTS, foreign keys FAILED_PRECONDITION, a lack of memory
// RESOURCE_EXHAUSTED, texts that are not UTF-8 INVALID_ARGUMENT, and anything else INTERNAL.
absl::Status FromSqlState(std::string_view state, std::string_view message);

// Returns what callers of a service are told about such a failure: the same code, its meaning for
// them, and a number. Under that number, this process's log has PostgreSQL's own words, which name
// tables, statements and values. Logs them.
absl::Status Concealed(const absl::Status& failure);

// Whether the transaction may succeed when it is run again: after serialisation failures and
// deadlocks.
bool IsConflict(std::string_view state);

// Whether the server closed the connection, is starting or is shutting down.
bool IsDisconnection(std::string_view state);

}  // namespace tidemill::db
