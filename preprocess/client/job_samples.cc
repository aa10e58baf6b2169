#include "preprocess/client/job_samples.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tidemill::preprocess {
namespace {

using Steps = google::protobuf::RepeatedField<int64_t>;

// Wraps around like an unsigned number, so that any two keys have a difference.
int64_t Minus(int64_t number, int64_t other) {
  return static_cast<int64_t>(static_cast<uint64_t>(number) - static_cast<uint64_t>(other));
}

void AddSteps(std::span<const int64_t> numbers, Steps& steps) {
  steps.Reserve(static_cast<int>(numbers.size()));
  int64_t before = 0;
  for (const int64_t number : numbers)
    steps.AddAlreadyReserved(Minus(number, std::exchange(before, number)));
}

std::vector<int64_t> Numbers(const Steps& steps) {
  std::vector<int64_t> numbers;
  numbers.reserve(static_cast<size_t>(steps.size()));
  uint64_t number = 0;
  for (const int64_t step : steps) {
    number += static_cast<uint64_t>(step);
    numbers.push_back(static_cast<int64_t>(number));
  }
  return numbers;
}

absl::StatusOr<v1::JobSamples> WithinLimit(v1::JobSamples samples, size_t count) {
  const size_t num_bytes = samples.ByteSizeLong();
  if (num_bytes <= static_cast<size_t>(kMaxJobSamplesBytes)) return samples;
  return absl::ResourceExhaustedError(
      fmt::format("the numbers of {} samples take {} bytes; a job can name samples in {} bytes",
                  count, num_bytes, kMaxJobSamplesBytes));
}

}  // namespace

absl::StatusOr<v1::JobSamples> SamplesWithKeys(std::span<const int64_t> keys) {
  v1::JobSamples samples;
  AddSteps(keys, *samples.mutable_key_steps());
  return WithinLimit(std::move(samples), keys.size());
}

absl::StatusOr<v1::JobSamples> ChosenSamples(const loader::Subset& chosen) {
  v1::JobSamples samples;
  AddSteps(chosen.ordinals, *samples.mutable_ordinal_steps());
  samples.mutable_weights()->Assign(chosen.weights.begin(), chosen.weights.end());
  return WithinLimit(std::move(samples), chosen.ordinals.size());
}

std::vector<int64_t> KeysOf(const v1::JobSamples& samples) { return Numbers(samples.key_steps()); }

absl::StatusOr<std::shared_ptr<const loader::Subset>> ChosenOf(const v1::JobSamples& samples,
                                                               int64_t set_size) {
  if (samples.ordinal_steps().empty()) return std::shared_ptr<const loader::Subset>();
  loader::Subset chosen{.ordinals = Numbers(samples.ordinal_steps()),
                        .weights = {samples.weights().begin(), samples.weights().end()}};
  const bool ascend =
      std::ranges::adjacent_find(chosen.ordinals, std::greater_equal<>()) == chosen.ordinals.end();
  if (!ascend || chosen.ordinals.front() < 0 || chosen.ordinals.back() >= set_size) {
    return InvalidArgument("the job chooses ordinals that do not ascend within a set of {} samples",
                           set_size);
  }
  if (!chosen.weights.empty() && chosen.weights.size() != chosen.ordinals.size()) {
    return InvalidArgument("the job has {} weights for {} chosen samples", chosen.weights.size(),
                           chosen.ordinals.size());
  }
  return std::make_shared<const loader::Subset>(std::move(chosen));
}

}  // namespace tidemill::preprocess
