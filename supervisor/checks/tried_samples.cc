#include "supervisor/checks/tried_samples.h"

#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemill::supervisor {
namespace {

using storage::TriedPart;
using storage::TriedSample;

template <typename T>
absl::Status SetLabels(std::string_view name, std::optional<T> TriedSample::*label,
                       const std::vector<TriedSample>& samples, batch::Batch& batch) {
  std::vector<T> values;
  batch::Buffer validity = batch::Buffer::Allocate((samples.size() + 7) / 8);
  for (size_t i = 0; i < samples.size(); ++i) {
    values.push_back((samples[i].*label).value_or(0));
    if (samples[i].*label) {
      validity.mutable_data()[i / 8] |= static_cast<std::byte>(1 << (i % 8));
    }
  }
  batch::Column column = batch::MakeColumn<T>(name, values);
  column.validity = std::move(validity);
  return batch.Set(std::move(column));
}

absl::StatusOr<batch::Batch> Joined(const std::vector<TriedSample>& samples) {
  batch::Batch batch(std::ssize(samples));
  std::vector<int64_t> keys(samples.size());
  std::iota(keys.begin(), keys.end(), 0);
  std::vector<std::string_view> bytes;
  std::vector<int64_t> times;
  for (const TriedSample& sample : samples) {
    bytes.push_back(sample.bytes);
    times.push_back(sample.event_time);
  }
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)));
  RETURN_IF_ERROR(batch.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, bytes)));
  RETURN_IF_ERROR(SetLabels(batch::kClassLabelColumn, &TriedSample::class_label, samples, batch));
  RETURN_IF_ERROR(SetLabels(batch::kRealLabelColumn, &TriedSample::real_label, samples, batch));
  return batch;
}

// Samples without a label wait for it; they are not bad.
std::vector<TriedSample> Labelled(const TriedPart& part, const storage::DatasetSpec& spec) {
  if (!storage::EffectiveLabel(spec).is_given()) return part.samples;
  std::vector<TriedSample> samples;
  for (const TriedSample& sample : part.samples) {
    if (sample.class_label || sample.real_label) samples.push_back(sample);
  }
  return samples;
}

}  // namespace

absl::StatusOr<batch::Batch> BatchOf(const TriedPart& part, const storage::DatasetSpec& spec) {
  return Joined(Labelled(part, spec));
}

absl::StatusOr<transform::FittedState> FitOn(std::span<const batch::Batch> batches,
                                             transform::Fitter& fitter) {
  for (int pass = 0; pass < fitter.num_passes(); ++pass) {
    for (const batch::Batch& batch : batches) RETURN_IF_ERROR(fitter.Add(batch));
    RETURN_IF_ERROR(fitter.EndPass());
  }
  return fitter.Finish();
}

}  // namespace tidemill::supervisor
