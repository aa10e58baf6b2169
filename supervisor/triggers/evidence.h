// What policies look at beside event times and keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor {

enum class EvidenceKind {
  // Of the active model: a number a sample, 0 or 1 for classes, |predicted - true| for real labels.
  kErrors,
  // Of the active model: a probability for each class, or the predicted value.
  kPredictions,
  // By the active model: what its last layer is given.
  kEmbeddings,
  // A number a sample: a class counts from 0.
  kLabels,
  // The raw numbers of a record, of the columns named.
  kColumns,
};

// Whether somebody has to ask the active model for it.
inline bool IsOfModel(EvidenceKind kind) {
  return kind != EvidenceKind::kLabels && kind != EvidenceKind::kColumns;
}

// Of the samples in [from, to), in the order of the stream. Cuts are in the times that policies
// see.
struct EvidenceRequest {
  EvidenceKind kind = EvidenceKind::kErrors;
  // Absent: from the beginning of the stream on.
  std::optional<Cut> from = std::nullopt;
  Cut to = {};
  // Only so many of them, the last ones; 0 for all.
  int64_t newest = 0;
  // Of those at most so many, drawn by their keys, so that others do not change who is drawn; 0 for
  // all.
  int64_t most_rows = 0;
  // Of kColumns.
  std::vector<std::string> columns = {};

  friend bool operator==(const EvidenceRequest&, const EvidenceRequest&) = default;
};

// A row a sample, row after row, all numbers finite. Samples that cannot be read, decoded or used
// are left out.
struct EvidenceTable {
  int64_t num_rows = 0;
  int64_t width = 1;
  std::vector<double> values = {};
  // Samples that were left out.
  int64_t num_missing = 0;
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
