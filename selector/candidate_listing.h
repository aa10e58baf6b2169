// The candidates of a trigger, as storage lists them.
#pragma once

#include <functional>
#include <optional>

#include "base/status.h"
#include "batch/batch.h"
#include "selector/client/selection_spec.h"
#include "selector/policies/chooser.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::selector {

// Streams the keys, event times and labels of an interval, as StorageClient::ListSamples does.
using SampleLister = std::function<absl::Status(const storage::v1::ListSamplesRequest&,
                                                const std::function<absl::Status(batch::Batch)>&)>;

// What is listed for a trigger. Its candidates are those of `candidates` and, before them in the
// stream, the late ones that take part.
struct CandidateListing {
  storage::v1::ListSamplesRequest candidates;
  // What became known after the trigger before and lies before its cut; std::nullopt where nothing
  // can be late.
  std::optional<storage::v1::ListSamplesRequest> late = std::nullopt;
  // Late samples are candidates, as far as `candidates` does not hold them anyway.
  bool late_take_part = false;
  // Samples without a label are no candidates, and no late ones.
  bool labelled_only = false;
};

// For a policy that is no schedule. INVALID_ARGUMENT when the request does not say where the
// triggers ended that the policy looks back to, or holds a dataset's spec that does not decode.
absl::StatusOr<CandidateListing> ListingOf(const v1::SealTrainingSetRequest& request,
                                           const SelectionSpec& policy);

// Lists everything in the order of the stream: what is late goes to `on_late`, if there is one, and
// every candidate to `on_candidates`. Thread-compatible.
using OnCandidates = std::function<absl::Status(const Candidates&)>;
absl::Status ForEachCandidate(const SampleLister& list_samples, const CandidateListing& listing,
                              const OnCandidates& on_late, const OnCandidates& on_candidates);

}  // namespace tidemill::selector
