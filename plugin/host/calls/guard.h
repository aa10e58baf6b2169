// Catches what a plug-in throws: all code of its file runs inside Guard(). Plug-ins must not throw
// through the contract, but if the host just ended, the user would not learn which plug-in did.
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
    return Internal("it threw something that is not a std::exception");
  }
}

}  // namespace tidemill::plugin::host
