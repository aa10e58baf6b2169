// The page of a sweep that the supervisor knows.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

// Returns SweepPage() of all runs of a sweep; std::nullopt when no run is of a sweep with this
// name. `measure` is as in ValueOf(). INVALID_ARGUMENT when nothing is measured by that name;
// FAILED_PRECONDITION as in RecordedSweep::Finish().
absl::StatusOr<std::optional<std::string>> ReportOfSweep(const Session& session,
                                                         const std::string& name,
                                                         const std::string& measure);

}  // namespace tidemill::cli
