// What the ops of a graph learned from the selected samples, sealed by a hash. It is stored with
// the model and used wherever the model is.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "transform/engine/op.h"

namespace tidemill::transform {

// Immutable, hence thread-safe.
class FittedState {
 public:
  // `graph`: Graph::spec_digest() of the graph that was fitted. `learned`: by place of the op.
  FittedState(std::string graph, std::map<int, std::vector<Learned>> learned);

  // Reads what Encode() made. DATA_LOSS for bytes that are no fitted state, whatever they are.
  static absl::StatusOr<FittedState> Decode(std::string bytes);

  // A batch in the wire format of docs/formats/batch.md, one row per number or word, with the
  // columns `op` (int64), `column`, `statistic` (binary), `is_word` (uint8), `number` (float64) and
  // `word` (binary). The first row has op -1 and the graph's digest as its word. The same
  // state gives the same bytes.
  const std::string& Encode() const { return bytes_; }
  // SHA-256 of Encode(), in hexadecimal.
  const std::string& digest() const { return digest_; }

  const std::string& graph() const { return graph_; }
  // Empty for an op that learned nothing.
  std::span<const Learned> Of(int op_index) const;

 private:
  std::string graph_;
  std::map<int, std::vector<Learned>> learned_;
  std::string bytes_;
  std::string digest_;
};

}  // namespace tidemill::transform
