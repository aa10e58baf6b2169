// The stream that a backtest shows to policies.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/status.h"
#include "base/time.h"
#include "supervisor/evidence/evidence_keys.h"
#include "supervisor/evidence/stored_evidence.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/triggers/samples.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// A status other than OK ends the backtest and is its result.
using BacktestProgress = std::function<absl::Status(const v1::WatchBacktestResponse::Progress&)>;

// A part of the training dataset, as it was known when this was opened. The request names the part,
// or else the pipeline's `replay` does. Returns the errors of storage. Immutable.
class PastStream {
 public:
  // Syncs the dataset first, and names in `final` the files that were not taken. `downstream` must
  // outlive the result.
  static absl::StatusOr<PastStream> Open(Downstream& downstream,
                                         const v1::WatchBacktestRequest& request,
                                         const PipelineSpec& spec, const BacktestProgress& progress,
                                         v1::WatchBacktestResponse::Final& final);

  // Takes the next samples, and the places of those among them that have no label, ascending.
  using Sink = std::function<absl::Status(Samples, std::span<const size_t> unlabelled)>;

  // Gives `sink` the samples in batches, each sample at the time when its label becomes known, and
  // describes them in `final`. A status of `sink` other than OK is the result.
  absl::Status Show(const BacktestProgress& progress, const Sink& sink,
                    v1::WatchBacktestResponse::Final& final) const;

  // Returns the keys of the samples that policies may read. This object must outlive the result.
  std::unique_ptr<EvidenceKeys> Keys() const;
  // Returns a source of evidence for policies that read samples. It reads the samples in `keys`
  // from storage, or the answers of `model` about them. `keys` must outlive it.
  absl::StatusOr<std::unique_ptr<StoredEvidence>> Evidence(
      EvidenceKeys& keys, std::optional<ActiveModel> model = std::nullopt) const;

 private:
  explicit PastStream(Downstream& downstream) : downstream_(&downstream) {}

  Downstream* downstream_;
  storage::v1::Dataset dataset_;
  storage::v1::ListSamplesRequest listing_;
  Duration label_delay_;
  bool has_labels_ = false;
};

}  // namespace tidemill::supervisor
