#include "db/sql_status.h"

#include <random>

#include "base/disk_full.h"
#include "base/logs/log.h"

namespace tidemill::db {
namespace {

// PostgreSQL ends messages with a line feed and explains in further lines.
std::string_view FirstLine(std::string_view message) {
  return message.substr(0, message.find('\n'));
}

std::string_view MeaningOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnavailable:
      return "the database does not answer, or another transaction was in the way; try again";
    case absl::StatusCode::kAlreadyExists:
      return "the database already has it";
    case absl::StatusCode::kFailedPrecondition:
      return "the database lacks the row that this belongs to";
    case absl::StatusCode::kResourceExhausted:
      return "the database has no room left";
    case absl::StatusCode::kInvalidArgument:
      return "the database does not accept this text; write UTF-8 without zero bytes";
    default:
      return "the database could not do this";
  }
}

}  // namespace

absl::Status Concealed(const absl::Status& failure) {
  const bool is_full = IsDiskFull(failure);
  const std::string number = fmt::format("{:08x}", std::random_device()());
  log::Warn("PostgreSQL failed", {{"number", number}, {"error", failure.ToString()}});
  const std::string meaning =
      fmt::format("{} (see {} in the log of the service)",
                  is_full ? "the database has no room left" : MeaningOf(failure.code()), number);
  return is_full ? DiskFull(meaning) : absl::Status(failure.code(), meaning);
}

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
  if (state == "53100") return DiskFull(fmt::format("PostgreSQL: {}", line));
  // Others give their connections back.
  if (state == "53300") return Unavailable("PostgreSQL: {}", line);
  if (state.starts_with("53")) return ResourceExhausted("PostgreSQL: {}", line);
  if (state == "22021") return InvalidArgument("PostgreSQL: {}", line);
  return Internal("PostgreSQL: {}", line);
}

}  // namespace tidemill::db
