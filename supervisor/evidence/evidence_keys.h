// Which samples a piece of evidence is of.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/triggers/evidence.h"

namespace tidemill::supervisor {

// Answers with keys in the order of the stream. Thread-compatible.
class EvidenceKeys {
 public:
  virtual ~EvidenceKeys() = default;

  // The samples of a request; its kind and columns do not matter.
  virtual absl::StatusOr<std::vector<int64_t>> KeysOf(const EvidenceRequest& request) = 0;

  // The samples from a cut on, at most so many: those that will be asked for next.
  virtual absl::StatusOr<std::vector<int64_t>> KeysFrom(const Cut& from, int64_t most) = 0;
};

// Takes samples in the order of the stream, and keeps those that a request wants. Memory: `newest`
// or `most_rows` keys where the request limits them, else all. Thread-compatible.
class KeyChoice {
 public:
  explicit KeyChoice(const EvidenceRequest& request)
      : newest_(request.newest), most_rows_(request.most_rows) {}

  void Take(std::span<const int64_t> keys);
  std::vector<int64_t> Finish() &&;

 private:
  // The share of a drawn key in the draw: those with the least are in.
  static uint64_t RankOf(int64_t key);
  void Draw(int64_t key);

  struct Drawn {
    uint64_t rank;
    int64_t place;
    int64_t key;
  };

  int64_t newest_;
  int64_t most_rows_;
  int64_t num_taken_ = 0;
  std::vector<int64_t> kept_;  // Of the newest a ring, whose oldest entry is the next to go.
  std::vector<Drawn> drawn_;   // A heap, the greatest rank first.
};

// The samples that are stored, where a run's policy sees them: each at the time at which its label
// becomes known.
class StoredKeys final : public EvidenceKeys {
 public:
  // What the stream holds now, from its beginning to its end.
  using Listing = std::function<storage::v1::ListSamplesRequest()>;

  // `downstream` must outlive it.
  StoredKeys(Downstream& downstream, Duration label_delay, Listing listing)
      : downstream_(downstream), label_delay_(label_delay), listing_(std::move(listing)) {}

  absl::StatusOr<std::vector<int64_t>> KeysOf(const EvidenceRequest& request) override;
  absl::StatusOr<std::vector<int64_t>> KeysFrom(const Cut& from, int64_t most) override;

 private:
  // The part of the stream between two cuts in the times that policies see.
  storage::v1::ListSamplesRequest Between(const std::optional<Cut>& from,
                                          const std::optional<Cut>& to) const;

  Downstream& downstream_;
  const Duration label_delay_;
  const Listing listing_;
};

}  // namespace tidemill::supervisor
