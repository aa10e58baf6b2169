// Compares two training sets of one dataset.
#pragma once

#include "base/status.h"
#include "batch/batch.h"
#include "selector/candidate_listing.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::selector {

// `first` and `second` are the entries of the sets in `comparison`; its other fields are filled in.
// Lists the part of the dataset that contains both sets. FAILED_PRECONDITION when the sets are of
// different datasets.
absl::Status CompareSets(const batch::Batch& first, const batch::Batch& second,
                         const SampleLister& list_samples,
                         v1::CompareTrainingSetsResponse& comparison);

}  // namespace tidemill::selector
