#include "db/sql_status.h"

namespace tidemill::db {
namespace {

// PostgreSQL ends messages with a line feed and explains in further lines.
std::string_view FirstLine(std::string_view message) {
  return message.substr(0, message.find('\n'));
}

}  // namespace

bool IsConflict(std::string_view state) { return state == "40001" || state == "40P01"; }

bool IsDisconnection(std::string_view state) {
  return state.starts_with("08") || state.starts_with("57P");
}

absl::Status FromSqlState(std::string_view state, std::string_view message) {
  const std::string_view line = FirstLine(message);
  if (IsDisconnection(state)) return Unavailable("PostgreSQL: {}", line);
  if (IsConflict(state)) return Unavailable("PostgreSQL: {}", line);
  if (state == "23505") return AlreadyExists("PostgreSQL: {}", line);
  if (state == "23503") return FailedPrecondition("PostgreSQL: {}", line);
  if (state.starts_with("53")) return ResourceExhausted("PostgreSQL: {}", line);
  if (state == "22021") return InvalidArgument("PostgreSQL: {}", line);
  return Internal("PostgreSQL: {}", line);
}

}  // namespace tidemill::db
