// A history without drift.
#pragma once

#include <cstdint>
#include <vector>

#include "base/numbers/random.h"
#include "base/status.h"
#include "supervisor/evidence/evidence_keys.h"
#include "supervisor/triggers/evidence.h"
#include "supervisor/triggers/samples.h"

namespace tidemill::supervisor {

// A history: the times at which samples became known, and their keys, in the order of the stream.
struct History {
  std::vector<int64_t> times = {};
  std::vector<int64_t> keys = {};

  int64_t size() const { return static_cast<int64_t>(keys.size()); }
  Samples View() const { return {times, keys}; }
};

// The same history with its samples at shuffled places. Any difference that a policy finds between
// two parts of it is chance. Thread-safe.
class ShuffledHistory final : public EvidenceKeys {
 public:
  // `shuffle` is the number of the shuffle. Each shuffle is a different permutation. `history` must
  // outlive this object.
  ShuffledHistory(const History& history, int64_t shuffle)
      : history_(&history),
        permutation_({.purpose = "shuffled history", .epoch = shuffle}, history.size()) {}

  absl::StatusOr<std::vector<int64_t>> KeysOf(const EvidenceRequest& request) override;
  absl::StatusOr<std::vector<int64_t>> KeysFrom(const Cut& from, int64_t most) override;

 private:
  // Returns the number of places before the cut.
  int64_t NumBefore(const Cut& cut) const;
  // Returns the keys of the samples at the places [from, to).
  std::vector<int64_t> KeysAt(int64_t from, int64_t to) const;

  const History* history_;
  Permutation permutation_;
};

}  // namespace tidemill::supervisor
