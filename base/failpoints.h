// Named places at which a test can make the program fail.
//
//   FAILPOINT("supervisor.after_decision");
//
// TIDEMILL_FAILPOINTS="supervisor.after_decision=kill:3;storage.copy=error" arms them. `kill[:n]`
// ends the process with SIGKILL at the n-th passage (the first by default). `error[:n]` makes
// RETURN_IF_FAILPOINT return UNAVAILABLE at the n-th passage. `delay:250ms` waits. An unarmed
// failpoint costs one load of an atomic flag.
//
// With TIDEMILL_FAILPOINTS_ONCE=FOLDER, a failpoint kills or fails once among all processes that
// share the folder, and leaves a file of its name there. A restarted process then does not die
// again, and a test sees that the failpoint was passed. A failpoint that waits leaves one, too.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "base/status.h"

namespace tidemill::failpoints {

namespace internal {
extern std::atomic<bool> any_armed;
absl::Status Pass(std::string_view name);
}  // namespace internal

// Arms failpoints from text in the form above, in addition to those of the environment.
// INVALID_ARGUMENT when the text does not parse.
absl::Status Arm(std::string_view text);

// Runs `call` at the first passage of `name`, on the thread that passes: a test forces with it what
// another thread does at this moment. Later passages do nothing.
void ArmCall(std::string_view name, std::function<void()> call);

// Removes every failpoint and its count of passages.
void DisarmAll();

inline absl::Status Pass(std::string_view name) {
  if (!internal::any_armed.load(std::memory_order_relaxed)) return absl::OkStatus();
  return internal::Pass(name);
}

}  // namespace tidemill::failpoints

// For places where only a kill or a delay makes sense.
#define FAILPOINT(name) ::tidemill::failpoints::Pass(name).IgnoreError()
// For places where an error can be returned.
#define RETURN_IF_FAILPOINT(name) RETURN_IF_ERROR(::tidemill::failpoints::Pass(name))
