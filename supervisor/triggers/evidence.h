// The evidence that policies read, besides event times and keys.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace tidemill::supervisor {

enum class EvidenceKind {
  // How wrong the active model is, one number per sample: 0 or 1 for classes, |predicted - true|
  // for real labels.
  kErrors,
  // The predictions of the active model: a probability for each class, or the predicted value.
  kPredictions,
  // The label, followed by the prediction of the active model.
  kOutcomes,
  // The embeddings of the active model: the inputs of its last layer.
  kEmbeddings,
  // The labels, one number per sample. A class is its number, from 0.
  kLabels,
  // The raw numbers of the named columns of each record.
  kColumns,
};

// Whether this evidence is an answer of the active model.
inline bool IsOfModel(EvidenceKind kind) {
  return kind != EvidenceKind::kLabels && kind != EvidenceKind::kColumns;
}

// Asks for evidence about the samples in [from, to), in the order of the stream. Cuts use the event
// times that policies see.
struct EvidenceRequest {
  EvidenceKind kind = EvidenceKind::kErrors;
  // Absent: the interval begins with the stream.
  std::optional<Cut> from = std::nullopt;
  Cut to = {};
  // Keeps only the last `newest` samples; 0 keeps all.
  int64_t newest = 0;
  // The largest number of those samples to keep; 0 keeps all. They are drawn by lots that depend
  // only on the key of the sample.
  int64_t most_rows = 0;
  // An expression: only samples for which it is true count. Empty: all.
  std::string where = {};
  // The columns, for kColumns only.
  std::vector<std::string> columns = {};
  // Whether a sample without some of the columns counts, with NaN for missing numbers.
  bool may_lack = false;

  friend bool operator==(const EvidenceRequest&, const EvidenceRequest&) = default;
};

// One row per sample, row after row. All numbers are finite, or NaN where the request allows it. A
// sample that cannot be read, decoded or used is left out, and so is a sample with too many missing
// numbers.
struct EvidenceTable {
  int64_t num_rows = 0;
  int64_t width = 1;
  std::vector<double> values = {};
  // The samples of the rows.
  std::vector<int64_t> keys = {};
  // The number of samples left out.
  int64_t num_missing = 0;
};

// Answers requests for evidence. The active model is the model of the last decision that fired. The
// answers are therefore a function of the run, as the stream is. Thread-compatible.
class EvidenceSource {
 public:
  virtual ~EvidenceSource() = default;
  virtual absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) = 0;
};

// The facts known at a decision point, besides the samples that the policy has taken.
struct Evidence {
  Cut at;
  // The number of samples since the last training.
  int64_t num_new = 0;
  // The answers to the policy's requests, in the same order.
  std::vector<EvidenceTable> tables = {};
  // After a stop, the decision is not needed: a policy that computes for long must end soon.
  std::stop_token stop = {};
};

}  // namespace tidemill::supervisor
