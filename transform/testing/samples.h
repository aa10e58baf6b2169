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

// Returns samples with keys 100, 101, ... and the given payloads. `labels`, one per row if given,
// become class labels.
batch::Batch MakeSamples(const std::vector<std::string>& payloads,
                         const std::vector<std::optional<int64_t>>& labels = {});

// Does the same with real labels.
batch::Batch MakeRealSamples(const std::vector<std::string>& payloads,
                             const std::vector<std::optional<double>>& labels);

// Returns the rows [begin, begin + count) of `batch`, or fewer at its end.
batch::Batch RowsFrom(const batch::Batch& batch, int64_t begin, int64_t count);

// Runs a graph on samples in blocks of `block` rows, and puts the results together.
absl::StatusOr<Transformed> RunInBlocks(const Graph& graph, const batch::Batch& samples,
                                        const FittedState* fitted, int64_t block,
                                        const RunContext& context = {});

// Builds a graph, which must be valid.
Graph MustBuild(const GraphSpec& spec, const SampleSchema& schema);

// Fits on samples in blocks of `block` rows.
absl::StatusOr<FittedState> Fit(Fitter& fitter, const batch::Batch& samples, int64_t block);
FittedState MustFit(const Graph& graph, const batch::Batch& samples, int64_t block = 1000);

// Builds a graph, which must be valid, fits it on the samples if it learns, and runs it on them. It
// does all three in blocks of 1, of 7 and of all rows. The results must be the same to the last
// bit.
Transformed RunGraph(const GraphSpec& spec, const SampleSchema& schema, const batch::Batch& samples,
                     const RunContext& context = {});

// Builds a graph, which must be valid and have nothing to learn, and runs it on all samples at
// once.
Transformed RunAtOnce(const GraphSpec& spec, const SampleSchema& schema,
                      const batch::Batch& samples);

// Sets ordinals for samples: 1000, 1003, 1006 ...
void SetOrdinals(batch::Batch& samples);

// Records of numbers, without text.
inline const SampleSchema kRecords{.payload = PayloadKind::kRecord};

// Returns a schema of CSV records with these columns and the classes 0 .. 9.
SampleSchema CsvSchema(std::vector<std::string> columns);

// Makes a graph spec from op specs.
template <typename... Specs>
GraphSpec Spec(Specs... ops) {
  return GraphSpec{config::Keyed<OpSpec>{std::move(ops)}...};
}

// Returns the numbers of a column.
template <typename T>
std::vector<T> Numbers(const batch::Batch& batch, std::string_view name) {
  const batch::Column* column = batch.Find(name);
  if (column == nullptr) return {};
  const std::span<const T> values = column->Values<T>();
  return {values.begin(), values.end()};
}

}  // namespace tidemill::transform::testing
