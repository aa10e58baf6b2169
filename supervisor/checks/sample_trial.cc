#include "supervisor/checks/sample_trial.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "batch/batch.h"
#include "supervisor/checks/part_check.h"
#include "supervisor/checks/tried_samples.h"
#include "transform/engine/op_counters.h"
#include "transform/fitter.h"
#include "transform/unknown_values.h"

namespace tidemill::supervisor {
namespace {

using storage::TriedPart;

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

// Why the first sample with a value that an op does not know has such a value, with its place.
std::string FirstUnknown(const transform::Graph& graph, const transform::GraphSpec& ops, size_t op,
                         const transform::FittedState& fitted,
                         std::span<const batch::Batch> batches,
                         std::span<const std::string> places) {
  const auto strict = transform::RejectUnknown(ops, op);
  if (!strict) return "";
  const auto rejecting = transform::Graph::Build(*strict, graph.samples());
  if (!rejecting.ok()) return "";
  const transform::FittedState same(rejecting->spec_digest(), fitted.learned());
  for (size_t i = 0; i < batches.size(); ++i) {
    const auto kept = graph.Run(batches[i], &fitted);
    const auto made = rejecting->Run(batches[i], &same);
    if (!kept.ok() || !made.ok()) return "";
    for (const transform::BadSample& bad : made->bad) {
      if (std::ranges::find(kept->bad, bad.row, &transform::BadSample::row) != kept->bad.end()) {
        continue;
      }
      return fmt::format(", first in {}: {}", places[i], bad.reason);
    }
  }
  return "";
}

// What to say about an op that did not know some values; std::nullopt when that is common.
std::optional<config::Remark> TellOfUnknown(size_t op, const transform::OpStatistics& statistics,
                                            const std::string& first) {
  const auto& [type, work] = statistics;
  const bool is_table = type == "lookup";
  if (work.unknown == 0 || (!is_table && work.unknown * 2 <= work.rows)) return std::nullopt;
  return config::Remark{
      .path = fmt::format("preprocess.graph[{}].{}", op, type),
      .message =
          fmt::format("{} of {} samples that were tried {}{}", work.unknown, work.rows,
                      is_table ? "have no row in the table" : "are none of the categories", first),
      .hint = is_table ? "write the keys alike in both; a sample without a row gets what `missing` "
                         "and `default` say"
                       : "write the categories as the files do",
      .is_error = false};
}

config::Remark TellOfNone(int64_t num_samples) {
  return {.path = "preprocess.graph",
          .message = fmt::format("none of the {} samples that were tried can pass through the "
                                 "graph's first ops",
                                 num_samples),
          .hint = "compare the ops with what the files hold"};
}

}  // namespace

std::vector<config::Remark> TrySamples(const DatasetPeek& peek, const storage::DatasetSpec& spec,
                                       const transform::Graph& graph,
                                       const transform::GraphSpec& ops, double max_bad_fraction) {
  // The process of a network's program is not started for a check.
  if (spec.series || HasOp(graph, "torchscript")) return {};
  std::vector<const TriedPart*> parts;
  std::vector<batch::Batch> batches;
  int64_t num_samples = 0;
  for (const TriedPart& part : peek.parts) {
    auto batch = BatchOf(part, spec);
    if (!batch.ok()) return {};
    if (batch->num_rows() == 0) continue;
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
  transform::OpCounters counters(graph.op_types());
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto made = graph.Run(batches[i], &*fitted, {}, &counters);
    if (!made.ok()) return TellOfFailure(graph, made.status());
    const bool tells = ShowsMistakesOfSpec(peek, spec, *parts[i]);
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
  std::vector<std::string> places;
  for (const TriedPart* part : parts) places.push_back(PlaceOf(spec, *part));
  const std::vector<transform::OpStatistics> statistics = counters.Snapshot();
  for (size_t op = 0; op < statistics.size() && op < ops.size(); ++op) {
    if (!TellOfUnknown(op, statistics[op], "")) continue;
    const std::string first = FirstUnknown(graph, ops, op, *fitted, batches, places);
    remarks.push_back(*TellOfUnknown(op, statistics[op], first));
  }
  return remarks;
}

}  // namespace tidemill::supervisor
