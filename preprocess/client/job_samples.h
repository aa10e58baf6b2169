// The samples of a job that does not take all samples of a sealed training set.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "loader/plan/subset.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// The most bytes of a JobSamples. It travels in one message, and the dispatcher keeps it in a row.
inline constexpr int64_t kMaxJobSamplesBytes = int64_t{8} << 20;

// A job over samples with these keys, in this order. RESOURCE_EXHAUSTED when they take more than
// kMaxJobSamplesBytes.
absl::StatusOr<v1::JobSamples> SamplesWithKeys(std::span<const int64_t> keys);

// A job over the chosen samples of a sealed set, or of the part of it that the spec names.
// RESOURCE_EXHAUSTED when they take more than kMaxJobSamplesBytes.
absl::StatusOr<v1::JobSamples> ChosenSamples(const loader::Subset& chosen);

// Returns the keys; empty when the job lists none.
std::vector<int64_t> KeysOf(const v1::JobSamples& samples);

// Returns the chosen samples of a set of `set_size` samples; nullptr when the job takes all of
// them. INVALID_ARGUMENT when the set has no such ordinals.
absl::StatusOr<std::shared_ptr<const loader::Subset>> ChosenOf(const v1::JobSamples& samples,
                                                               int64_t set_size);

}  // namespace tidemill::preprocess
