// The clock of the times that a document gives without a zone.
#pragma once

#include <string>

#include "config/describe.h"
#include "config/documents/problems.h"

namespace tidemill::config {

namespace internal {
void PutOnClock(const Type& type, void* value, const std::string& zone, Problems& problems);
}  // namespace internal

// Puts every ClockTime below `value` on the clock of that zone, unless it names one. A struct with
// its own zone takes it in `void TakeClock(const std::string& zone)`. Notes times that the clock
// does not show. What Print() then gives names its zones.
template <typename T>
void PutOnClock(T& value, const std::string& zone, Problems& problems) {
  internal::PutOnClock(internal::TypeOf<T>(), &value, zone, problems);
}

}  // namespace tidemill::config
