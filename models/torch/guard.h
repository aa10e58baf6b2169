// Guard() catches exceptions of libtorch. All code that calls libtorch runs inside it.
//
//   RETURN_IF_ERROR(Guard("forward pass", [&]() -> absl::Status { ...; return absl::OkStatus();
//   }));
#pragma once

#include <exception>
#include <new>
#include <string>

#include "torch/torch.h"

#include "base/status.h"

namespace tidemill::models {

// Returns the result of `body`, a Status or a StatusOr. An exception for lack of memory, on the
// host or a device, becomes RESOURCE_EXHAUSTED. Any other exception becomes INTERNAL. The message
// begins with `doing`.
template <typename Body>
auto Guard(const std::string& doing, const Body& body) -> decltype(body()) {
  std::string message;
  try {
    return body();
  } catch (const c10::Error& error) {
    message = error.what_without_backtrace();
  } catch (const std::bad_alloc&) {
    message = "out of memory";
  } catch (const std::exception& error) {
    message = error.what();
  }
  if (message.find("out of memory") != std::string::npos) {
    return absl::Status(ResourceExhausted("{}: {}", doing, message));
  }
  return absl::Status(Internal("{}: {}", doing, message));
}

}  // namespace tidemill::models
