// Lists the candidates of a trigger from storage.
#pragma once

#include <functional>
#include <optional>

#include "base/status.h"
#include "batch/batch.h"
#include "selector/choosing/chooser.h"
#include "selector/client/selection_spec.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::selector {

// Streams the keys, event times and labels of an interval. It behaves as
// StorageClient::ListSamples.
using SampleLister = std::function<absl::Status(const storage::v1::ListSamplesRequest&,
                                                const std::function<absl::Status(batch::Batch)>&)>;

// The lists to read for a trigger. The trigger's candidates are the samples of `candidates`,
// preceded in the stream by the late samples that take part.
struct CandidateListing {
  storage::v1::ListSamplesRequest candidates;
  // The samples that became known after the previous trigger and are before its cut. std::nullopt
  // when no sample can be late.
  std::optional<storage::v1::ListSamplesRequest> late = std::nullopt;
  // Whether late samples are candidates. A late sample that is in `candidates`, too, counts once.
  bool late_take_part = false;
  // Whether samples without a label are left out of the candidates and of the late samples.
  bool labelled_only = false;
  // Where the new data of the trigger begins; std::nullopt for the first trigger. Late samples that
  // take part have greater keys than this one.
  std::optional<rpc::v1::Cut> new_from = std::nullopt;
  std::optional<int64_t> late_after_key = std::nullopt;

  // Whether no earlier trigger could have trained on the sample.
  bool IsNew(int64_t event_time, int64_t key) const;
};

// `policy` must not be a schedule. INVALID_ARGUMENT when the request lacks the cuts of triggers to
// which the policy looks back, or when its dataset spec does not decode.
absl::StatusOr<CandidateListing> ListingOf(const v1::SealTrainingSetRequest& request,
                                           const SelectionSpec& policy);

// Lists all samples in the order of the stream. Late samples go to `on_late`, if there is one.
// Candidates go to `on_candidates`. Thread-compatible.
using OnCandidates = std::function<absl::Status(const Candidates&)>;
absl::Status ForEachCandidate(const SampleLister& list_samples, const CandidateListing& listing,
                              const OnCandidates& on_late, const OnCandidates& on_candidates);

}  // namespace tidemill::selector
