// The rows of one point in all stores that a host has.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "prepared/prepared_samples.h"

namespace tidemill::prepared {

// Rows are found in the first store that has them, and kept in the first of the host that has room.
// Rows that are prepared here are put into the shared store as well, and what is found only there
// is kept on the host. Thread-safe.
class TieredSamples final : public PreparedSamples {
 public:
  struct Tiers {
    std::vector<std::unique_ptr<PreparedSamples>> of_host = {};  // The fastest first.
    std::unique_ptr<PreparedSamples> shared = nullptr;           // May be none.
    // Whether what is found on the host goes to the shared store, too.
    bool shares_found = false;
  };

  explicit TieredSamples(Tiers tiers) : tiers_(std::move(tiers)) {}

  void Find(std::span<const SampleName> names, NamedRows& rows) override;
  bool Keep(std::span<const SampleName> names, const NamedRows& rows) override;
  void Flush() override;
  StoreCounts counts() const override;

 private:
  bool KeepOnHost(std::span<const SampleName> names, const NamedRows& rows);
  void FindShared(std::span<const SampleName> names, NamedRows& rows);

  const Tiers tiers_;
};

}  // namespace tidemill::prepared
