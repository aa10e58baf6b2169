// How two training sets of one dataset differ.
#pragma once

#include "base/status.h"
#include "batch/batch.h"
#include "selector/candidate_listing.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::selector {

// `first` and `second` are the entries of the sets in `comparison`, whose other fields are filled.
// Lists the part of the dataset that holds both. FAILED_PRECONDITION for sets of different
// datasets.
absl::Status CompareSets(const batch::Batch& first, const batch::Batch& second,
                         const SampleLister& list_samples,
                         v1::CompareTrainingSetsResponse& comparison);

}  // namespace tidemill::selector
