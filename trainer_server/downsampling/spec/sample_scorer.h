// A score of samples that a user's code computes from the network's answers.
#pragma once

#include <vector>

#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::trainer_server {

// The columns of a block that a scorer is shown, besides `key`. Each has the name of its member.
struct ScoreLooksAt {
  bool losses = false;         // float32, as the sample is trained on.
  bool probabilities = false;  // float32, one for each class.
  bool embeddings = false;     // float32, the inputs of the network's last layer.
  bool labels = false;         // int64 for classes, else float64, as the graph makes them.
  bool event_times = false;    // int64, microseconds.
  bool ages = false;           // float64, seconds before the newest sample of the training set.

  bool any_times() const { return event_times || ages; }
};

// Thread-compatible. It keeps no state between calls: a row has the same score in every block.
class SampleScorer {
 public:
  virtual ~SampleScorer() = default;
  virtual const ScoreLooksAt& looks_at() const = 0;
  // Returns a finite number for each row of a block, whose numbers are finite, too.
  virtual absl::StatusOr<std::vector<double>> Score(const batch::Batch& block) = 0;
};

}  // namespace tidemill::trainer_server
