// Samples that were read from a dataset for a check, as a graph is given them.
#pragma once

#include <span>

#include "base/status.h"
#include "batch/batch.h"
#include "storage/spec/dataset_peek.h"
#include "storage/spec/dataset_spec.h"
#include "transform/fitter.h"

namespace tidemill::supervisor {

// Returns the samples of a part, without those that still wait for their label.
absl::StatusOr<batch::Batch> BatchOf(const storage::TriedPart& part,
                                     const storage::DatasetSpec& spec);

// Returns the errors of Fitter.
absl::StatusOr<transform::FittedState> FitOn(std::span<const batch::Batch> batches,
                                             transform::Fitter& fitter);

}  // namespace tidemill::supervisor
