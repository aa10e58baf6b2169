#include "transform/ops/records/parse_example.h"

#include <algorithm>
#include <cstring>

#include "records/tf_example.h"
#include "transform/engine/numbers.h"
#include "transform/engine/portable_graph.h"
#include "transform/ops/records/number_text.h"

namespace tidemill::transform {
namespace {

struct ExampleTarget {
  ExampleField field;
  BoundColumn column;
};

std::vector<std::string> NamesOf(const std::vector<ExampleTarget>& targets) {
  std::vector<std::string> names;
  for (const ExampleTarget& target : targets) names.push_back(target.field.name);
  return names;
}

// A column of numbers or of texts while it is being made.
struct Making {
  batch::Column numbers;
  std::optional<TextColumn> texts;
};

// Writes what the feature holds to `row` of the column; or says why it cannot.
std::optional<std::string> Write(const ExampleField& field, const ExampleFeature& feature,
                                 int64_t row, Making& column) {
  using FeatureKind = ExampleFeature::Kind;
  if (feature.kind == FeatureKind::kAbsent) return "is missing";
  const bool is_text = field.dtype == ExampleType::kString || field.dtype == ExampleType::kUInt8;
  const bool is_whole = field.dtype == ExampleType::kInt64;
  if (is_text != (feature.kind == FeatureKind::kBytes) ||
      (is_whole && feature.kind != FeatureKind::kInt64)) {
    return "is of another kind";
  }
  const auto length = static_cast<size_t>(field.length);
  if (is_text ? feature.size() != 1 : feature.size() != length) {
    return fmt::format("has {} values, not {}", feature.size(), is_text ? 1 : length);
  }
  const size_t begin = static_cast<size_t>(row) * length;
  if (field.dtype == ExampleType::kString) {
    column.texts->Append(feature.bytes.front());
  } else if (field.dtype == ExampleType::kUInt8) {
    const std::string_view bytes = feature.bytes.front();
    if (bytes.size() != length) return fmt::format("has {} bytes, not {}", bytes.size(), length);
    std::memcpy(column.numbers.data.MutableAs<uint8_t>().data() + begin, bytes.data(), length);
  } else if (is_whole) {
    std::ranges::copy(feature.ints, column.numbers.data.MutableAs<int64_t>().data() + begin);
  } else if (feature.kind == FeatureKind::kFloat) {
    std::ranges::copy(feature.floats, column.numbers.data.MutableAs<float>().data() + begin);
  } else {
    std::ranges::transform(feature.ints, column.numbers.data.MutableAs<float>().data() + begin,
                           [](int64_t whole) { return static_cast<float>(whole); });
  }
  return std::nullopt;
}

class ParseExampleOp final : public Op {
 public:
  explicit ParseExampleOp(std::vector<ExampleTarget> targets) : targets_(std::move(targets)) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    ASSIGN_OR_RETURN(const batch::Column* payload,
                     frame.samples().Get(batch::kPayloadColumn, batch::DataType::kBinary));
    std::vector<Making> columns;
    for (const ExampleTarget& target : targets_) columns.push_back(Start(target, frame.num_rows()));
    ExampleFeatures features(NamesOf(targets_));
    for (int64_t row = 0; row < frame.num_rows(); ++row) {
      if (!frame.IsBad(row)) ReadRow(payload->Bytes(row), row, features, columns, frame);
      for (Making& column : columns) {
        if (column.texts) column.texts->EndRow(row);
      }
    }
    for (size_t i = 0; i < targets_.size(); ++i) {
      const BoundColumn& column = targets_[i].column;
      if (columns[i].texts) columns[i].numbers = columns[i].texts->Finish(column.schema.name);
      if (column.schema.type == batch::DataType::kFloat32) {
        RejectNonFinite<float>(columns[i].numbers, frame);
      }
      frame.Set(column.slot, std::move(columns[i].numbers));
    }
    return absl::OkStatus();
  }

  bool reads_records() const override { return true; }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph& graph) const override {
    for (const ExampleTarget& target : targets_) {
      const StepId given = graph.Give(
          target.column, fmt::format("the feature `{}` of the Example", target.field.name));
      if (IsFloat(target.column.schema.type)) graph.RejectNonFinite(given);
    }
    return absl::OkStatus();
  }

 private:
  static Making Start(const ExampleTarget& target, int64_t num_rows) {
    const ColumnSchema& schema = target.column.schema;
    switch (target.field.dtype) {
      case ExampleType::kFloat32:
        return {NewColumn<float>(schema.name, num_rows, schema.shape), std::nullopt};
      case ExampleType::kInt64:
        return {NewColumn<int64_t>(schema.name, num_rows, schema.shape), std::nullopt};
      case ExampleType::kUInt8:
        return {NewColumn<uint8_t>(schema.name, num_rows, schema.shape), std::nullopt};
      case ExampleType::kString:
        break;
    }
    return {{}, TextColumn(num_rows)};
  }

  void ReadRow(std::string_view record, int64_t row, ExampleFeatures& features,
               std::vector<Making>& columns, Frame& frame) const {
    if (const absl::Status status = features.Read(record); !status.ok()) {
      return frame.Reject(row, fmt::format("the record {}", std::string(status.message())));
    }
    for (size_t i = 0; i < targets_.size(); ++i) {
      const auto problem = Write(targets_[i].field, features.feature(i), row, columns[i]);
      if (problem) {
        return frame.Reject(row, fmt::format("feature {} {}", targets_[i].field.name, *problem));
      }
    }
  }

  const std::vector<ExampleTarget> targets_;
};

batch::DataType ColumnType(ExampleType type) {
  switch (type) {
    case ExampleType::kFloat32:
      return batch::DataType::kFloat32;
    case ExampleType::kInt64:
      return batch::DataType::kInt64;
    case ExampleType::kUInt8:
      return batch::DataType::kUInt8;
    case ExampleType::kString:
      return batch::DataType::kBinary;
  }
  return batch::DataType::kBinary;
}

}  // namespace

std::unique_ptr<Op> ParseExampleSpec::Build(OpBuilder& builder) const {
  if (builder.samples().payload != PayloadKind::kTfRecord) {
    builder.Problem("", "parse_example needs a dataset of format tfrecord",
                    "use parse_csv, parse_json or parse_record");
  }
  if (features.empty()) builder.Problem("features", "is empty", "name at least one feature");
  std::vector<ExampleTarget> targets;
  for (const ExampleField& field : features) {
    if (field.dtype == ExampleType::kString && field.length != 1) {
      builder.Problem("features", fmt::format("{} has several texts", field.name),
                      "leave out the length; dtype uint8 reads the bytes of one text");
    }
    std::vector<int64_t> shape;
    if (field.length != 1) shape.push_back(field.length);
    const BoundColumn column =
        builder.Output("features", {.name = field.into.empty() ? field.name : field.into,
                                    .type = ColumnType(field.dtype),
                                    .shape = std::move(shape)});
    targets.push_back({field, column});
  }
  return std::make_unique<ParseExampleOp>(std::move(targets));
}

}  // namespace tidemill::transform
