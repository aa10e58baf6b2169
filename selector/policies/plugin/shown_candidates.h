// Candidates as a plug-in is shown them: blocks of columns.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "selector/choosing/chooser.h"
#include "selector/columns/key_column.h"
#include "selector/policies/plugin/plugin_selection.h"

namespace tidemill::selector {

// Keeps candidates within a part of the memory budget, and reads the other inputs of the plug-in.
// Shows only candidates for which all inputs are known and finite. Thread-compatible.
class ShownCandidates {
 public:
  ShownCandidates(SelectionDeclaration declaration, const Workplace& workplace);

  absl::Status Add(const Candidates& candidates);

  // All candidates, in order.
  const KeyColumn& all() const { return keys_; }

  // Gives blocks of bounded size, in the order of the stream: `key`, and the inputs of the plug-in
  // under the names of docs/formats/plugin_protocol.md. A block consists of consecutive pieces, and
  // is valid during the call. May be called again, and then gives the same candidates.
  using Sink = std::function<absl::Status(std::span<const batch::Batch> block)>;
  absl::Status ForEach(const Sink& sink);

  // The candidates given by the last ForEach(), in order. Row r of an answer is the r-th of them.
  const KeyColumn& shown() const { return shows_all_ ? keys_ : shown_; }

 private:
  // Candidates whose inputs are read together.
  struct Asked {
    std::vector<int64_t> keys;
    std::vector<int64_t> event_times;
    std::vector<int64_t> labels;
  };

  // Gives the candidates in place, because the plug-in has no other inputs.
  absl::Status ForEachInStoredOrder(const Sink& sink);
  // `read` holds the numbers of a piece that comes from files.
  using Read = std::array<std::vector<int64_t>, 3>;
  absl::StatusOr<batch::Batch> PieceAt(int64_t first, Read& read) const;
  absl::Status AskAbout(const Asked& asked, const Sink& sink);
  absl::Status Show(const Asked& asked, const batch::Batch& facts, size_t& next, const Sink& sink);
  absl::Status AddFacts(const batch::Batch& facts, batch::Batch& block) const;
  absl::StatusOr<batch::Column> ColumnOf(std::span<const int64_t> keys,
                                         const std::string& name) const;
  // Gives the rows for which all inputs are known.
  absl::Status GiveKnown(const batch::Batch& block, const Sink& sink);
  absl::Status Give(const batch::Batch& block, const Sink& sink);

  const SelectionDeclaration declaration_;
  const Workplace workplace_;
  // Whether every candidate is shown, so that its row is its number.
  const bool shows_all_;
  KeyColumn keys_;
  KeyColumn event_times_;
  KeyColumn labels_;
  KeyColumn shown_;
};

}  // namespace tidemill::selector
