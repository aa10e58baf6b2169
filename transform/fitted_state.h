// The state that the ops of a graph learned from the selected samples, sealed by a hash. It is
// stored with the model and used wherever the model is used.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "transform/engine/op.h"

namespace tidemill::transform {

// Immutable, so thread-safe.
class FittedState {
 public:
  // `graph` is the Graph::spec_digest() of the graph that was fitted. `learned` maps the place of
  // an op to its learned state.
  FittedState(std::string graph, std::map<int, std::vector<Learned>> learned);

  // Reads the result of Encode(). DATA_LOSS for any bytes that are not a fitted state.
  static absl::StatusOr<FittedState> Decode(const std::string& bytes);

  // Returns a batch in the wire format of docs/formats/batch.md. Each row is a number or a word.
  // The columns are `op` (int64), `column`, `statistic` (binary), `is_word` (uint8), `number`
  // (float64) and `word` (binary). The first row has the op -1 and the graph's digest as its word.
  // The same state gives the same bytes.
  const std::string& Encode() const { return bytes_; }
  // The SHA-256 of Encode(), in hexadecimal.
  const std::string& digest() const { return digest_; }

  const std::string& graph() const { return graph_; }
  const std::map<int, std::vector<Learned>>& learned() const { return learned_; }
  // Returns what an op learned. It is empty for an op that learned nothing.
  std::span<const Learned> Of(int op_index) const;

 private:
  std::string graph_;
  std::map<int, std::vector<Learned>> learned_;
  std::string bytes_;
  std::string digest_;
};

}  // namespace tidemill::transform
