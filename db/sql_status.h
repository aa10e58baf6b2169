// The meaning of PostgreSQL's error codes for callers.
#pragma once

#include <string_view>

#include "base/status.h"

namespace tidemill::db {

// Returns the status for a five-character SQLSTATE, which is empty when the server sent none. A
// lost connection, a full disk (disk_full.h) and too many connections are UNAVAILABLE; a unique
// violation is ALREADY_EXISTS, a foreign key FAILED_PRECONDITION, exhausted memory
// RESOURCE_EXHAUSTED, text that is not UTF-8 INVALID_ARGUMENT, and anything else INTERNAL.
absl::Status FromSqlState(std::string_view state, std::string_view message);

// Returns the status that callers of a service get for such a failure: the same code, its meaning
// for them, and a number. Logs PostgreSQL's message, which names tables, statements and values,
// under that number.
absl::Status Concealed(const absl::Status& failure);

// Whether the transaction may succeed when it is run again: after serialisation failures and
// deadlocks.
bool IsConflict(std::string_view state);

// Whether the server closed the connection, is starting or is shutting down.
bool IsDisconnection(std::string_view state);

}  // namespace tidemill::db
