// What policies look at beside the stream: labels and columns from storage, and what the active
// model says of samples, from the evaluator.
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

// The model that is asked, on behalf of whom.
struct ActiveModel {
  int64_t model_id = 0;
  rpc::v1::Command command;
};

// Windows of decisions overlap, and those of errors follow each other, so what was read is kept
// within a budget, and models are asked for samples ahead of the window: few calls for many
// decisions. The answers are the same without either. Thread-compatible.
class StoredEvidence final : public EvidenceSource {
 public:
  // `dataset_spec` is what storage has completed. Without a model, a request that needs one is
  // FAILED_PRECONDITION. `downstream` and `keys` must outlive it.
  static absl::StatusOr<std::unique_ptr<StoredEvidence>> Create(Downstream& downstream,
                                                                EvidenceKeys& keys,
                                                                DatasetId dataset,
                                                                const std::string& dataset_spec,
                                                                std::optional<ActiveModel> model);

  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override;

 private:
  // What rows are of: a kind, and the columns that it names.
  using Subject = std::pair<EvidenceKind, std::vector<std::string>>;
  struct Kept {
    RowCache rows;
    // Samples to ask for at once when one is missing.
    int64_t num_ahead = 0;
  };

  StoredEvidence(Downstream& downstream, EvidenceKeys& keys, DatasetId dataset,
                 std::string spec_text, storage::DatasetSpec spec,
                 std::optional<ActiveModel> model);
  // The keys from there on that are worth asking for now.
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
