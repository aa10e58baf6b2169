#include "prepared/tiered_samples.h"

#include <algorithm>

namespace tidemill::prepared {

void TieredSamples::Find(std::span<const SampleName> names, NamedRows& rows) {
  for (const auto& tier : tiers_.of_host) {
    if (rows.NumMissing() > 0) tier->Find(names, rows);
  }
  if (tiers_.shared == nullptr) return;
  if (tiers_.shares_found) tiers_.shared->Keep(names, rows);
  if (rows.NumMissing() > 0) FindShared(names, rows);
}

void TieredSamples::FindShared(std::span<const SampleName> names, NamedRows& rows) {
  // The names of the rows that no store of the host has; the others are nothing.
  std::vector<SampleName> only_there(names.begin(), names.end());
  for (size_t i = 0; i < names.size(); ++i) {
    if (rows.states[i] != RowState::kMissing) only_there[i] = {};
  }
  tiers_.shared->Find(names, rows);
  KeepOnHost(only_there, rows);
}

bool TieredSamples::KeepOnHost(std::span<const SampleName> names, const NamedRows& rows) {
  return std::ranges::any_of(tiers_.of_host,
                             [&](const auto& tier) { return tier->Keep(names, rows); });
}

bool TieredSamples::Keep(std::span<const SampleName> names, const NamedRows& rows) {
  const bool is_kept = KeepOnHost(names, rows);
  const bool is_shared = tiers_.shared != nullptr && tiers_.shared->Keep(names, rows);
  return is_kept || is_shared;
}

void TieredSamples::Flush() {
  for (const auto& tier : tiers_.of_host) tier->Flush();
  if (tiers_.shared != nullptr) tiers_.shared->Flush();
}

// What the first store lacks the others are asked for, too. What the first refuses the others get.
StoreCounts TieredSamples::counts() const {
  StoreCounts sum;
  for (const auto& tier : tiers_.of_host) {
    const StoreCounts counts = tier->counts();
    sum.found += counts.found;
    sum.missing = counts.missing;
    sum.kept += counts.kept;
    sum.kept_bytes += counts.kept_bytes;
    sum.damaged += counts.damaged;
    sum.refused = counts.refused;
    sum.read_ns += counts.read_ns;
    sum.write_ns += counts.write_ns;
  }
  if (tiers_.shared == nullptr) return sum;
  const StoreCounts shared = tiers_.shared->counts();
  sum.found += shared.found;
  sum.missing = shared.missing;
  sum.damaged += shared.damaged;
  sum.read_ns += shared.read_ns;
  sum.write_ns += shared.write_ns;
  sum.shared = shared.kept;
  sum.shared_bytes = shared.kept_bytes;
  sum.not_shared = shared.refused;
  if (tiers_.of_host.empty()) {
    sum.kept = shared.kept;
    sum.kept_bytes = shared.kept_bytes;
  }
  // What one of them has taken is not refused.
  sum.refused = tiers_.of_host.empty() ? shared.refused : std::min(sum.refused, shared.refused);
  return sum;
}

}  // namespace tidemill::prepared
