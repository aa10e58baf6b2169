// What policies look at beside event times and keys.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor {

enum class EvidenceKind {
  kErrors,       // Of the active model: one number a sample, 0 or 1 for classes.
  kPredictions,  // Of the active model.
  kEmbeddings,   // By the active model.
  kLabels,
  kColumns,  // The raw numbers of a sample.
};

// Of the samples in [from, to), in the order of the stream.
struct EvidenceRequest {
  EvidenceKind kind = EvidenceKind::kErrors;
  Cut from;
  Cut to;
  // Every k-th of them, so that there are no more than these; 0 for all.
  int64_t most_rows = 0;

  friend bool operator==(const EvidenceRequest&, const EvidenceRequest&) = default;
};

// A row a sample, row after row.
struct EvidenceTable {
  int64_t num_rows = 0;
  int64_t width = 1;
  std::vector<double> values;
};

// The active model is that of the last decision that fired, so what a request is answered is, like
// the stream, a function of the run. Thread-compatible.
class EvidenceSource {
 public:
  virtual ~EvidenceSource() = default;
  virtual absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) = 0;
};

// What is known at a decision point beside the samples that a policy was given.
struct Evidence {
  Cut at;
  // Samples since the last training.
  int64_t num_new = 0;
  // What the policy said that it needs, in that order.
  std::vector<EvidenceTable> tables = {};
};

}  // namespace tidemill::supervisor
