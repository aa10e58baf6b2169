// Finds data of the user that is not ingested.
#pragma once

#include "cli/stack/finding.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

// Returns a finding for each dataset that has lost something. Empty when storage does not answer.
Findings ExamineDatasets(const Session& session);

}  // namespace tidemill::cli
