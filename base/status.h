// Failure as a value. Every function of this project that can fail returns
// absl::Status or absl::StatusOr<T>; nothing here throws.
//
//   absl::StatusOr<Dataset> FindDataset(std::string_view name) {
//     ...
//     return NotFound("dataset {} is not registered", name);
//   }
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"

namespace tidemill {

// One function for each status code in use. They take fmt patterns, because Debian's
// absl::string_view is a distinct type to which std::string_view does not convert.
#define TIDEMILL_STATUS_MAKER(Code)                                                        \
  template <typename... Args>                                                              \
  absl::Status Code(fmt::format_string<Args...> pattern, Args&&... args) {                 \
    return {absl::StatusCode::k##Code, fmt::format(pattern, std::forward<Args>(args)...)}; \
  }
TIDEMILL_STATUS_MAKER(AlreadyExists)
TIDEMILL_STATUS_MAKER(Cancelled)
TIDEMILL_STATUS_MAKER(DataLoss)
TIDEMILL_STATUS_MAKER(DeadlineExceeded)
TIDEMILL_STATUS_MAKER(FailedPrecondition)
TIDEMILL_STATUS_MAKER(Internal)
TIDEMILL_STATUS_MAKER(InvalidArgument)
TIDEMILL_STATUS_MAKER(NotFound)
TIDEMILL_STATUS_MAKER(PermissionDenied)
TIDEMILL_STATUS_MAKER(ResourceExhausted)
TIDEMILL_STATUS_MAKER(Unavailable)
TIDEMILL_STATUS_MAKER(Unauthenticated)
#undef TIDEMILL_STATUS_MAKER

// Prefixes the message of a failure with the action that failed; OK stays OK. Payloads are kept.
absl::Status Annotate(const absl::Status& status, const std::string& doing);

}  // namespace tidemill

#define TIDEMILL_CONCAT_INNER(a, b) a##b
#define TIDEMILL_CONCAT(a, b) TIDEMILL_CONCAT_INNER(a, b)

// A loop that runs at most once. Unlike if and else, it can follow an unbraced `if (x)`. Each use
// has unique names, so that one use may be in a lambda inside the expression of another.
#define RETURN_IF_ERROR(expression) \
  RETURN_IF_ERROR_AS(TIDEMILL_CONCAT(status_, __COUNTER__), expression)
#define RETURN_IF_ERROR_AS(status, expression) \
  for (absl::Status status = (expression); !status.ok();) return status

#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_AS(TIDEMILL_CONCAT(result_, __COUNTER__), declaration, expression)
#define ASSIGN_OR_RETURN_AS(result, declaration, expression) \
  auto result = (expression);                                \
  if (!result.ok()) return std::move(result).status();       \
  declaration = *std::move(result)
