#include "transform/testing/samples.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status.h"
#include "base/testing/status_matchers.h"
#include "batch/wire.h"

namespace tidemill::transform::testing {
namespace {

using tidemill::testing::IsOk;

batch::Batch MakePayloads(const std::vector<std::string>& payloads) {
  batch::Batch samples(std::ssize(payloads));
  std::vector<int64_t> keys(payloads.size());
  std::iota(keys.begin(), keys.end(), 100);
  const std::vector<std::string_view> views(payloads.begin(), payloads.end());
  samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).IgnoreError();
  samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, views)).IgnoreError();
  return samples;
}

template <typename T>
void SetLabels(std::string_view name, const std::vector<std::optional<T>>& labels,
               batch::Batch& samples) {
  std::vector<T> values;
  batch::Buffer validity = batch::Buffer::Allocate((labels.size() + 7) / 8);
  for (size_t i = 0; i < labels.size(); ++i) {
    values.push_back(labels[i].value_or(0));
    if (labels[i].has_value()) {
      validity.mutable_data()[i / 8] |= static_cast<std::byte>(1 << (i % 8));
    }
  }
  batch::Column column = batch::MakeColumn<T>(name, values);
  column.validity = std::move(validity);
  samples.Set(std::move(column)).IgnoreError();
}

}  // namespace

batch::Batch MakeSamples(const std::vector<std::string>& payloads,
                         const std::vector<std::optional<int64_t>>& labels) {
  batch::Batch samples = MakePayloads(payloads);
  if (!labels.empty()) SetLabels(batch::kClassLabelColumn, labels, samples);
  return samples;
}

batch::Batch MakeRealSamples(const std::vector<std::string>& payloads,
                             const std::vector<std::optional<double>>& labels) {
  batch::Batch samples = MakePayloads(payloads);
  SetLabels(batch::kRealLabelColumn, labels, samples);
  return samples;
}

batch::Batch RowsFrom(const batch::Batch& batch, int64_t begin, int64_t count) {
  std::vector<int64_t> rows(std::min(count, batch.num_rows() - begin));
  std::iota(rows.begin(), rows.end(), begin);
  return batch.Take(rows);
}

absl::StatusOr<Transformed> RunInBlocks(const Graph& graph, const batch::Batch& samples,
                                        const FittedState* fitted, int64_t block,
                                        const RunContext& context) {
  std::vector<batch::Batch> parts;
  Transformed all;
  for (int64_t begin = 0; begin < samples.num_rows(); begin += block) {
    ASSIGN_OR_RETURN(Transformed part, graph.Run(RowsFrom(samples, begin, block), fitted, context));
    for (BadSample& bad : part.bad) all.bad.push_back({bad.row + begin, std::move(bad.reason)});
    parts.push_back(std::move(part.batch));
  }
  ASSIGN_OR_RETURN(all.batch, batch::Concatenate(parts));
  return all;
}

Graph MustBuild(const GraphSpec& spec, const SampleSchema& schema) {
  absl::StatusOr<Graph> graph = Graph::Build(spec, schema);
  EXPECT_THAT(graph, IsOk());
  return *std::move(graph);
}

absl::StatusOr<FittedState> Fit(Fitter& fitter, const batch::Batch& samples, int64_t block) {
  for (int pass = 0; pass < fitter.num_passes(); ++pass) {
    for (int64_t begin = 0; begin < samples.num_rows(); begin += block) {
      RETURN_IF_ERROR(fitter.Add(RowsFrom(samples, begin, block)));
    }
    RETURN_IF_ERROR(fitter.EndPass());
  }
  return fitter.Finish();
}

FittedState MustFit(const Graph& graph, const batch::Batch& samples, int64_t block) {
  Fitter fitter(graph);
  absl::StatusOr<FittedState> fitted = Fit(fitter, samples, block);
  EXPECT_THAT(fitted, IsOk());
  return *std::move(fitted);
}

Transformed RunAtOnce(const GraphSpec& spec, const SampleSchema& schema,
                      const batch::Batch& samples) {
  const absl::StatusOr<Graph> graph = Graph::Build(spec, schema);
  EXPECT_THAT(graph, IsOk());
  if (!graph.ok()) return {};
  absl::StatusOr<Transformed> result = graph->Run(samples, nullptr);
  EXPECT_THAT(result, IsOk());
  return result.ok() ? *std::move(result) : Transformed{};
}

Transformed RunGraph(const GraphSpec& spec, const SampleSchema& schema, const batch::Batch& samples,
                     const RunContext& context) {
  const absl::StatusOr<Graph> graph = Graph::Build(spec, schema);
  EXPECT_THAT(graph, IsOk());
  if (!graph.ok()) return {};
  std::optional<Transformed> first;
  std::string first_digest;
  for (const int64_t block : {std::max<int64_t>(1, samples.num_rows()), int64_t{1}, int64_t{7}}) {
    const FittedState fitted = MustFit(*graph, samples, block);
    absl::StatusOr<Transformed> made = RunInBlocks(*graph, samples, &fitted, block, context);
    EXPECT_THAT(made, IsOk());
    if (!made.ok()) return {};
    if (!first) {
      first = *std::move(made);
      first_digest = fitted.digest();
      continue;
    }
    EXPECT_EQ(fitted.digest(), first_digest) << "in blocks of " << block;
    EXPECT_EQ(made->bad, first->bad) << "in blocks of " << block;
    EXPECT_TRUE(batch::Encode(made->batch) == batch::Encode(first->batch))
        << "in blocks of " << block;
  }
  return *std::move(first);
}

void SetOrdinals(batch::Batch& samples) {
  std::vector<int64_t> ordinals;
  for (int64_t row = 0; row < samples.num_rows(); ++row) ordinals.push_back(1000 + 3 * row);
  samples.Set(batch::MakeColumn<int64_t>(batch::kOrdinalColumn, ordinals)).IgnoreError();
}

SampleSchema CsvSchema(std::vector<std::string> columns) {
  return {.payload = PayloadKind::kCsv,
          .columns = std::move(columns),
          .label = LabelKind::kClass,
          .num_classes = 10};
}

}  // namespace tidemill::transform::testing
