#include "loader/fit.h"

#include <numeric>
#include <utility>

#include "base/logs/log.h"
#include "batch/slice.h"
#include "loader/read_ahead.h"
#include "transform/fitter.h"

namespace tidemill::loader {
namespace {

constexpr int64_t kChunkSamples = 4096;
// The bytes of a sample, before the first is read.
constexpr int64_t kExpectedBytes = 1024;

absl::Status RunPass(const TrainingSet& set, const SampleReader& reader, const FitOptions& options,
                     transform::Fitter& fitter) {
  const auto read = [&](int64_t from, int64_t to, const std::stop_token& stop) {
    std::vector<int64_t> ordinals(static_cast<size_t>(to - from));
    std::iota(ordinals.begin(), ordinals.end(), from);
    const auto keep = [](batch::Batch&, Rows&) { return absl::OkStatus(); };
    return ReadRows(set, ordinals, reader, kChunkSamples, keep, stop);
  };
  const auto bytes = [](const Rows& rows) {
    int64_t sum = 0;
    for (const batch::Batch& piece : rows.pieces) sum += batch::BytesOf(piece);
    return sum;
  };
  ReadAhead<Rows> ahead({.num_threads = options.num_threads,
                         .together = kChunkSamples,
                         .bytes = options.bytes_ahead,
                         .expected_bytes = kExpectedBytes},
                        0, set.size(), read, bytes);
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<Rows> rows, ahead.Next());
    if (!rows) return fitter.EndPass();
    for (const batch::Batch& piece : rows->pieces) RETURN_IF_ERROR(fitter.Add(piece));
  }
}

}  // namespace

absl::StatusOr<FittedGraph> FitGraph(const transform::Graph& graph, const TrainingSet& set,
                                     const SampleReader& reader, const FitOptions& options) {
  transform::Fitter fitter(graph);
  for (int pass = 0; pass < fitter.num_passes(); ++pass) {
    RETURN_IF_ERROR(RunPass(set, reader, options, fitter));
  }
  for (const std::string& warning : fitter.warnings()) {
    log::Warn("fitted with a warning", {{"warning", warning}});
  }
  ASSIGN_OR_RETURN(transform::FittedState state, fitter.Finish());
  return FittedGraph{.state = std::move(state), .warnings = fitter.warnings()};
}

}  // namespace tidemill::loader
