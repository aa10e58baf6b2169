// The evidence of policies: labels and columns from storage, and the active model's answers about
// samples from the evaluator.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "samples/sample_values.h"
#include "supervisor/evidence/evidence_keys.h"
#include "supervisor/evidence/row_cache.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// The active model, and the run that asks it.
struct ActiveModel {
  int64_t model_id = 0;
  rpc::v1::Command command;
  // The run's WorkersSpec as canonical YAML; empty without one.
  std::string workers = {};
};

// The windows of decisions overlap, and windows of errors follow each other. Therefore rows are
// cached within a budget, and the model is asked ahead of the window, so that few calls serve many
// decisions. The results are the same without the cache. Thread-compatible.
class StoredEvidence final : public EvidenceSource {
 public:
  // `dataset_spec` is the spec that storage has completed. Without a model, a request that needs
  // one is FAILED_PRECONDITION. `downstream` and `keys` must outlive the result.
  static absl::StatusOr<std::unique_ptr<StoredEvidence>> Create(Downstream& downstream,
                                                                EvidenceKeys& keys,
                                                                DatasetId dataset,
                                                                const std::string& dataset_spec,
                                                                std::optional<ActiveModel> model);

  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override;

  // The bytes of the cached rows.
  int64_t num_bytes() const;

 private:
  // The content of rows: a kind of evidence, and the columns that it names.
  using Subject = std::pair<EvidenceKind, std::vector<std::string>>;
  struct Kept {
    RowCache rows;
    // The number of samples to request at once when one is missing.
    int64_t num_ahead = 0;
  };

  StoredEvidence(Downstream& downstream, EvidenceKeys& keys, DatasetId dataset,
                 std::string spec_text, storage::DatasetSpec spec,
                 std::optional<ActiveModel> model);
  // Returns a cache that has all requested rows of these keys. Valid until the next call for the
  // same subject.
  absl::StatusOr<const RowCache*> Known(const EvidenceRequest& request,
                                        std::span<const int64_t> keys);
  // Returns the keys from a cut on that should be requested now.
  absl::StatusOr<std::vector<int64_t>> Ahead(const Cut& from, size_t num_missing, Kept& kept);
  absl::Status Fetch(const EvidenceRequest& request, std::span<const int64_t> keys, RowCache& rows);
  absl::Status AskModel(EvidenceKind kind, std::span<const int64_t> keys, RowCache& rows);

  Downstream& downstream_;
  EvidenceKeys& keys_;
  const DatasetId dataset_;
  const std::string spec_text_;
  samples::SampleValues values_;
  const std::optional<ActiveModel> model_;
  std::map<Subject, Kept> kept_;
};

}  // namespace tidemill::supervisor
