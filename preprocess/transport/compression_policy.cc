#include "preprocess/transport/compression_policy.h"

namespace tidemill::preprocess {

namespace {

constexpr int64_t kProbeEvery = 20;
// Less is not worth a thought.
constexpr int64_t kLeastBytes = 4096;
// How much of what is new counts.
constexpr double kWeight = 0.25;
constexpr double kLeastGain = 0.1;

}  // namespace

void CompressionPolicy::Average::Add(double added) {
  value = value.has_value() ? *value + kWeight * (added - *value) : added;
}

CompressionPolicy::CompressionPolicy(const std::vector<v1::Compression>& accepted) {
  for (const v1::Compression compression : accepted) {
    if (compression == v1::COMPRESSION_LZ4 || compression == v1::COMPRESSION_ZSTD) {
      candidates_.push_back({.compression = compression});
    }
  }
  if (is_forced()) chosen_ = candidates_[0].compression;
}

CompressionPolicy::Plan CompressionPolicy::Next(int64_t bytes) {
  if (candidates_.empty() || bytes < kLeastBytes) return {};
  Plan plan{.use = chosen_};
  if (is_forced()) return plan;
  const bool is_first = num_probes_ < candidates_.size();
  if (num_batches_++ % kProbeEvery == 0 || is_first) {
    plan.probe = candidates_[num_probes_++ % candidates_.size()].compression;
    if (plan.probe == plan.use) plan.probe = v1::COMPRESSION_UNSPECIFIED;
  }
  return plan;
}

void CompressionPolicy::Encoded(v1::Compression compression, int64_t bytes,
                                int64_t compressed_bytes, double seconds) {
  if (bytes <= 0) return;
  for (Candidate& candidate : candidates_) {
    if (candidate.compression != compression) continue;
    candidate.ratio.Add(static_cast<double>(compressed_bytes) / static_cast<double>(bytes));
    candidate.seconds_per_byte.Add(seconds / static_cast<double>(bytes));
  }
  Decide();
}

void CompressionPolicy::Written(int64_t bytes, double seconds) {
  if (bytes < kLeastBytes) return;
  link_seconds_per_byte_.Add(seconds / static_cast<double>(bytes));
  Decide();
}

std::optional<double> CompressionPolicy::CostOf(v1::Compression compression) const {
  const std::optional<double> link = link_seconds_per_byte_.value;
  if (compression == v1::COMPRESSION_UNSPECIFIED) return link;
  for (const Candidate& candidate : candidates_) {
    if (candidate.compression != compression || !candidate.ratio.value.has_value()) continue;
    if (link.has_value()) return *candidate.seconds_per_byte.value + *candidate.ratio.value * *link;
  }
  return std::nullopt;
}

void CompressionPolicy::Decide() {
  const std::optional<double> present = CostOf(chosen_);
  if (is_forced() || !present.has_value()) return;
  double least = *present * (1 - kLeastGain);
  v1::Compression best = chosen_;
  const auto consider = [&](v1::Compression compression) {
    const std::optional<double> cost = CostOf(compression);
    if (!cost.has_value() || *cost >= least) return;
    least = *cost;
    best = compression;
  };
  consider(v1::COMPRESSION_UNSPECIFIED);
  for (const Candidate& candidate : candidates_) consider(candidate.compression);
  chosen_ = best;
}

}  // namespace tidemill::preprocess
