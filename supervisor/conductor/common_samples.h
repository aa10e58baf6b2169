// The samples on which two models are compared.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "supervisor/evidence/evidence_keys.h"
#include "supervisor/measuring/challenge.h"
#include "supervisor/runs/downstream.h"

namespace tidemill::supervisor {

// The most samples. Where there are more, this many are drawn by their keys.
inline constexpr size_t kMaxCompared = 20'000;

// Returns the samples in the spans of a snapshot. Time grows with their number, memory does not.
absl::StatusOr<ComparedSamples> ListSamplesIn(Downstream& downstream,
                                              const rpc::v1::Snapshot& snapshot,
                                              const std::vector<MetSpan>& spans);

// Always the same samples, for StoredEvidence. Thread-compatible.
class GivenKeys final : public EvidenceKeys {
 public:
  explicit GivenKeys(std::vector<int64_t> keys) : keys_(std::move(keys)) {}
  absl::StatusOr<std::vector<int64_t>> KeysOf(const EvidenceRequest&) override { return keys_; }
  absl::StatusOr<std::vector<int64_t>> KeysFrom(const Cut&, int64_t) override {
    return std::vector<int64_t>();
  }

 private:
  const std::vector<int64_t> keys_;
};

}  // namespace tidemill::supervisor
