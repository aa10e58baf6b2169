// What of the user's data does not get in.
#pragma once

#include "cli/stack/finding.h"
#include "cli/stack/session.h"

namespace tidemill::cli {

// A finding for each dataset of which something is lost. Nothing where storage does not answer.
Findings ExamineDatasets(const Session& session);

}  // namespace tidemill::cli
