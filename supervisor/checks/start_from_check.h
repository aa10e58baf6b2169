// Checks the weights from which a training starts.
#pragma once

#include "config/documents/problems.h"
#include "models/training/training_spec.h"
#include "supervisor/pipeline/pipeline_files.h"

namespace tidemill::supervisor {

// Replaces the names of files in `training.start_from` by those of the kept files. Notes files that
// are not there or hold no weights, and names in the weights that nothing has.
void CheckStartFrom(PipelineFiles& files, models::TrainingSpec& training,
                    config::Problems& problems);

}  // namespace tidemill::supervisor
