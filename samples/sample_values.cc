#include "samples/sample_values.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "samples/dataset_schema.h"
#include "transform/ops/records/parse_csv.h"
#include "transform/ops/records/parse_json.h"
#include "transform/ops/stack.h"

namespace tidemill::samples {
namespace {

// Rows [0, n) of a batch whose validity says yes, with their values.
absl::StatusOr<batch::Batch> LabelsOf(const batch::Batch& samples) {
  std::vector<int64_t> keys;
  std::vector<double> values;
  const batch::Column* classes = samples.Find(batch::kClassLabelColumn);
  const batch::Column* reals = samples.Find(batch::kRealLabelColumn);
  for (int64_t row = 0; row < samples.num_rows(); ++row) {
    const auto place = static_cast<size_t>(row);
    if (classes != nullptr && classes->IsValid(row)) {
      values.push_back(static_cast<double>(classes->Values<int64_t>()[place]));
    } else if (reals != nullptr && reals->IsValid(row)) {
      values.push_back(reals->Values<double>()[place]);
    } else {
      continue;
    }
    keys.push_back(samples.keys()[place]);
  }
  batch::Batch labels(static_cast<int64_t>(keys.size()));
  RETURN_IF_ERROR(labels.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
  RETURN_IF_ERROR(labels.Set(batch::MakeColumn<double>(SampleValues::kValuesColumn, values)));
  return labels;
}

// The numbers of the good samples, in their order.
absl::StatusOr<batch::Batch> NumbersOf(const transform::Transformed& parsed) {
  batch::Batch values(parsed.batch.num_rows());
  const batch::Column* numbers = parsed.batch.Find(transform::kInputColumn);
  if (numbers == nullptr) return Internal("the graph made no input");
  batch::Column named = *numbers;
  named.name = std::string(SampleValues::kValuesColumn);
  RETURN_IF_ERROR(values.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, parsed.batch.keys())));
  RETURN_IF_ERROR(values.Set(std::move(named)));
  return values;
}

// The numbers that samples have, each column by its own graph.
absl::StatusOr<batch::Batch> NumbersByColumn(const std::vector<transform::Graph>& of_column,
                                             const batch::Batch& samples) {
  const size_t width = of_column.size();
  std::vector<float> values(samples.keys().size() * width, std::numeric_limits<float>::quiet_NaN());
  for (size_t column = 0; column < width; ++column) {
    ASSIGN_OR_RETURN(const transform::Transformed parsed, of_column[column].Run(samples, nullptr));
    if (parsed.batch.num_rows() == 0) continue;
    const auto numbers = parsed.batch.Find(transform::kInputColumn)->Values<float>();
    size_t good = 0;  // Good samples keep their order.
    for (size_t row = 0; row < samples.keys().size() && good < numbers.size(); ++row) {
      if (parsed.batch.keys()[good] != samples.keys()[row]) continue;
      values[row * width + column] = numbers[good++];
    }
  }
  batch::Batch batch(samples.num_rows());
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, samples.keys())));
  RETURN_IF_ERROR(batch.Set(batch::MakeColumn<float>(SampleValues::kValuesColumn, values,
                                                     {static_cast<int64_t>(width)})));
  return batch;
}

}  // namespace

absl::Status SampleValues::ReadLabels(std::span<const int64_t> keys, const Sink& sink) {
  return read_samples_(dataset_, keys, [&](const batch::Batch& samples) -> absl::Status {
    ASSIGN_OR_RETURN(const batch::Batch labels, LabelsOf(samples));
    return sink(labels);
  });
}

absl::StatusOr<transform::Graph> SampleValues::GraphOf(
    const std::vector<std::string>& columns) const {
  const transform::SampleSchema schema = SchemaOf(spec_);
  transform::GraphSpec graph;
  if (schema.payload == transform::PayloadKind::kCsv) {
    graph.push_back({transform::ParseCsvSpec{.columns = columns}});
  } else if (schema.payload == transform::PayloadKind::kJson) {
    graph.push_back({transform::ParseJsonSpec{.fields = columns}});
  } else {
    return FailedPrecondition("raw columns need a dataset with format csv or jsonl");
  }
  graph.push_back({transform::StackSpec{}});
  return transform::Graph::Build(graph, schema);
}

absl::Status SampleValues::ReadColumns(std::span<const int64_t> keys,
                                       const std::vector<std::string>& columns, const Sink& sink,
                                       Lacking lacking) {
  ASSIGN_OR_RETURN(const transform::Graph graph, GraphOf(columns));
  std::vector<transform::Graph> of_column;
  for (const std::string& column : columns) {
    if (lacking == Lacking::kLeaveOut) break;
    ASSIGN_OR_RETURN(transform::Graph single, GraphOf({column}));
    of_column.push_back(std::move(single));
  }
  return read_samples_(dataset_, keys, [&](const batch::Batch& samples) -> absl::Status {
    if (samples.num_rows() == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(const transform::Transformed parsed, graph.Run(samples, nullptr));
    if (parsed.batch.num_rows() > 0 || lacking == Lacking::kLeaveOut) {
      ASSIGN_OR_RETURN(const batch::Batch values, NumbersOf(parsed));
      RETURN_IF_ERROR(sink(values));
    }
    if (lacking == Lacking::kLeaveOut || parsed.bad.empty()) return absl::OkStatus();
    std::vector<int64_t> rows;
    for (const transform::BadSample& bad : parsed.bad) rows.push_back(bad.row);
    std::sort(rows.begin(), rows.end());
    ASSIGN_OR_RETURN(const batch::Batch values, NumbersByColumn(of_column, samples.Take(rows)));
    return sink(values);
  });
}

}  // namespace tidemill::samples
