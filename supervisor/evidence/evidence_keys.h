// Finds the samples to which a piece of evidence refers.
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

// Returns keys in the order of the stream. Thread-compatible.
class EvidenceKeys {
 public:
  virtual ~EvidenceKeys() = default;

  // Returns the samples of a request. Its kind and its columns do not matter.
  virtual absl::StatusOr<std::vector<int64_t>> KeysOf(const EvidenceRequest& request) = 0;

  // Returns at most `most` samples from a cut on: those that will be requested next.
  virtual absl::StatusOr<std::vector<int64_t>> KeysFrom(const Cut& from, int64_t most) = 0;
};

// Takes samples in the order of the stream, and keeps those that a request asks for. Memory:
// `newest` or `most_rows` keys when the request limits them, otherwise all keys. Thread-compatible.
class KeyChoice {
 public:
  explicit KeyChoice(const EvidenceRequest& request)
      : newest_(request.newest), most_rows_(request.most_rows) {}

  void Take(std::span<const int64_t> keys);
  std::vector<int64_t> Finish() &&;

 private:
  // The rank of a key in the draw. The keys with the least ranks are drawn.
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
  std::vector<int64_t> kept_;  // For `newest`, a ring. Its oldest entry goes next.
  std::vector<Drawn> drawn_;   // A heap with the greatest rank first.
};

// The stored samples, at the places where a run's policy sees them: each at the time when its label
// becomes known.
class StoredKeys final : public EvidenceKeys {
 public:
  // Returns what the stream contains now, from its beginning to its end.
  using Listing = std::function<storage::v1::ListSamplesRequest()>;

  // `downstream` must outlive this object.
  StoredKeys(Downstream& downstream, Duration label_delay, Listing listing)
      : downstream_(downstream), label_delay_(label_delay), listing_(std::move(listing)) {}

  absl::StatusOr<std::vector<int64_t>> KeysOf(const EvidenceRequest& request) override;
  absl::StatusOr<std::vector<int64_t>> KeysFrom(const Cut& from, int64_t most) override;

 private:
  // Returns the part of the stream between two cuts. The cuts use the times that policies see.
  storage::v1::ListSamplesRequest Between(const std::optional<Cut>& from,
                                          const std::optional<Cut>& to) const;

  Downstream& downstream_;
  const Duration label_delay_;
  const Listing listing_;
};

}  // namespace tidemill::supervisor
