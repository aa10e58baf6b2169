// Where what a plug-in throws ends: everything of its file runs inside Guard(). Plug-ins must not
// throw through the contract, but a host that ends in silence would tell nobody which one did.
#pragma once

#include <exception>
#include <new>

#include "base/status.h"

namespace tidemill::plugin::host {

template <typename Body>
absl::Status Guard(const Body& body) {
  try {
    body();
    return absl::OkStatus();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory (std::bad_alloc)");
  } catch (const std::exception& error) {
    return Internal("{}", error.what());
  } catch (...) {
    return Internal("something was thrown that is no std::exception");
  }
}

}  // namespace tidemill::plugin::host
