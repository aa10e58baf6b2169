// What the tests of graphs and ops share: blocks of samples, and graphs built, fitted and run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/batch.h"
#include "transform/fitter.h"
#include "transform/graph.h"
#include "transform/ops/op_list.h"

namespace tidemill::transform::testing {

// Samples with keys 100, 101, ... and the given payloads; `labels`, one a row where given, become
// class labels.
batch::Batch MakeSamples(const std::vector<std::string>& payloads,
                         const std::vector<std::optional<int64_t>>& labels = {});

// The same with real labels.
batch::Batch MakeRealSamples(const std::vector<std::string>& payloads,
                             const std::vector<std::optional<double>>& labels);

// Rows [begin, begin + count) of `batch`, or fewer at its end.
batch::Batch Slice(const batch::Batch& batch, int64_t begin, int64_t count);

// What a graph makes of samples that are cut into blocks of `block` rows, put together again.
absl::StatusOr<Transformed> RunInBlocks(const Graph& graph, const batch::Batch& samples,
                                        const FittedState* fitted, int64_t block,
                                        const RunContext& context = {});

// A graph that must be sound.
Graph MustBuild(const GraphSpec& spec, const SampleSchema& schema);

// Fits on samples that are cut into blocks of `block` rows.
absl::StatusOr<FittedState> Fit(Fitter& fitter, const batch::Batch& samples, int64_t block);
FittedState MustFit(const Graph& graph, const batch::Batch& samples, int64_t block = 1000);

// Builds a graph that must be sound, fits it on the samples where it learns, and runs it on them,
// all three in blocks of 1, of 7 and of all rows: what is learned and made must be the same to the
// last bit.
Transformed RunGraph(const GraphSpec& spec, const SampleSchema& schema, const batch::Batch& samples,
                     const RunContext& context = {});

// Builds a graph that must be sound and has nothing to learn, and runs it on all samples at once.
Transformed RunAtOnce(const GraphSpec& spec, const SampleSchema& schema,
                      const batch::Batch& samples);

// Ordinals for samples: 1000, 1003, 1006 ...
void SetOrdinals(batch::Batch& samples);

// Records of numbers without any text.
inline const SampleSchema kRecords{.payload = PayloadKind::kRecord};

// A schema of CSV records with these columns and classes 0 .. 9.
SampleSchema CsvSchema(std::vector<std::string> columns);

// A graph spec out of op specs.
template <typename... Specs>
GraphSpec Spec(Specs... ops) {
  return GraphSpec{config::Keyed<OpSpec>{std::move(ops)}...};
}

// The numbers of a column.
template <typename T>
std::vector<T> Numbers(const batch::Batch& batch, std::string_view name) {
  const batch::Column* column = batch.Find(name);
  if (column == nullptr) return {};
  const std::span<const T> values = column->Values<T>();
  return {values.begin(), values.end()};
}

}  // namespace tidemill::transform::testing
