#include "supervisor/pipeline/sample_trial.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "batch/batch.h"
#include "supervisor/pipeline/part_check.h"
#include "transform/fitter.h"

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

absl::StatusOr<batch::Batch> BatchOf(const std::vector<TriedSample>& samples) {
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

absl::StatusOr<transform::FittedState> FitOn(const std::vector<batch::Batch>& batches,
                                             transform::Fitter& fitter) {
  for (int pass = 0; pass < fitter.num_passes(); ++pass) {
    for (const batch::Batch& batch : batches) RETURN_IF_ERROR(fitter.Add(batch));
    RETURN_IF_ERROR(fitter.EndPass());
  }
  return fitter.Finish();
}

// What was bad at some places.
struct BadSamples {
  int64_t num_tried = 0;
  int64_t num_bad = 0;
  std::string place;   // The first.
  std::string reason;  // The reason of the first.

  void Add(std::string where, int64_t num_samples, const std::vector<transform::BadSample>& bad) {
    num_tried += num_samples;
    if (num_bad == 0 && !bad.empty()) {
      place = std::move(where);
      reason = bad.front().reason;
    }
    num_bad += std::ssize(bad);
  }
};

bool HasOp(const transform::Graph& graph, std::string_view wanted) {
  const auto& types = graph.op_types();
  return std::find(types.begin(), types.end(), wanted) != types.end();
}

// Why nothing can be said about the samples: an op of the user's fails whatever it is given, as one
// that reads a column that it was not given. Other failures say nothing of the pipeline.
std::vector<config::Remark> TellOfFailure(const transform::Graph& graph,
                                          const absl::Status& failure) {
  if (!HasOp(graph, "plugin") || !absl::IsFailedPrecondition(failure)) return {};
  return {{.path = "preprocess.graph",
           .message = std::string(failure.message()),
           .hint = "correct the plug-in, or the columns that it is given",
           .is_error = true}};
}

config::Remark Tell(const BadSamples& samples, bool is_error) {
  return {.path = "preprocess.graph",
          .message = fmt::format("{} of {} samples that were tried cannot pass through the graph, "
                                 "first in {}: {}",
                                 samples.num_bad, samples.num_tried, samples.place, samples.reason),
          .hint = is_error ? "correct the ops or the files"
                           : "they are left out of trainings and evaluations",
          .is_error = is_error};
}

config::Remark TellOfNone(int64_t num_samples) {
  return {.path = "preprocess.graph",
          .message = fmt::format("none of the {} samples that were tried can pass through the "
                                 "graph's first ops",
                                 num_samples),
          .hint = "compare the ops with what the files hold"};
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

std::vector<config::Remark> TrySamples(const DatasetPeek& peek, const storage::DatasetSpec& spec,
                                       const transform::Graph& graph, double max_bad_fraction) {
  // The process of a network's program is not started for a check.
  if (spec.series || HasOp(graph, "torchscript")) return {};
  std::vector<const TriedPart*> parts;
  std::vector<batch::Batch> batches;
  int64_t num_samples = 0;
  for (const TriedPart& part : peek.parts) {
    const std::vector<TriedSample> samples = Labelled(part, spec);
    if (samples.empty()) continue;
    auto batch = BatchOf(samples);
    if (!batch.ok()) return {};
    num_samples += batch->num_rows();
    parts.push_back(&part);
    batches.push_back(*std::move(batch));
  }
  if (parts.empty()) return {};
  transform::Fitter fitter(graph);
  const auto fitted = FitOn(batches, fitter);
  if (!fitted.ok() && fitter.num_bad() == num_samples) return {TellOfNone(num_samples)};
  if (!fitted.ok()) return TellOfFailure(graph, fitted.status());
  BadSamples telling, others;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto made = graph.Run(batches[i], &*fitted);
    if (!made.ok()) return TellOfFailure(graph, made.status());
    const bool tells = IsTelling(peek, spec, *parts[i]);
    if (tells && spec.format->Delimited()) continue;
    (tells ? telling : others).Add(PlaceOf(spec, *parts[i]), batches[i].num_rows(), made->bad);
  }
  std::vector<config::Remark> remarks;
  for (const BadSamples* samples : {&telling, &others}) {
    if (samples->num_bad == 0) continue;
    const bool too_many = static_cast<double>(samples->num_bad) >
                          max_bad_fraction * static_cast<double>(samples->num_tried);
    remarks.push_back(Tell(*samples, samples == &telling && too_many));
  }
  return remarks;
}

}  // namespace tidemill::supervisor
