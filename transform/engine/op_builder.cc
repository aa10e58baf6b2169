#include "transform/engine/op_builder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "config/types.h"

namespace tidemill::transform {

int64_t ColumnSchema::Width() const {
  int64_t width = 1;
  for (const int64_t size : shape) width *= size;
  return width;
}

std::string_view Describe(batch::DataType type) {
  return IsText(type) ? "text" : batch::NameOf(type);
}

void CheckIsText(OpBuilder& builder, std::string_view field, const BoundColumn& column) {
  const ColumnSchema& schema = column.schema;
  if (IsText(schema.type)) return;
  builder.Problem(field,
                  fmt::format("column {} is {}, not text", schema.name, Describe(schema.type)),
                  "parse it with dtype: string");
}

void OpBuilder::BeginOp(int op_index) {
  op_index_ = op_index;
  inputs_.clear();
  input_slots_.clear();
  outputs_.clear();
  stage_ = 0;
  fitted_ = false;
}

void OpBuilder::Problem(std::string_view field, std::string message, std::string hint) {
  problems_.push_back({op_index_, std::string(field), std::move(message), std::move(hint)});
}

const BoundColumn* OpBuilder::Find(std::string_view name) const {
  for (const MadeColumn& column : columns_) {
    if (column.bound.schema.name == name) return &column.bound;
  }
  return nullptr;
}

std::vector<BoundColumn> OpBuilder::Columns() const {
  std::vector<BoundColumn> columns;
  for (const MadeColumn& column : columns_) columns.push_back(column.bound);
  return columns;
}

OpBuilder::MadeColumn* OpBuilder::FindMade(std::string_view name) {
  for (MadeColumn& column : columns_) {
    if (column.bound.schema.name == name) return &column;
  }
  return nullptr;
}

std::string OpBuilder::HintFor(std::string_view name) const {
  if (samples_.payload == PayloadKind::kCsv && samples_.columns.has_value() &&
      std::find(samples_.columns->begin(), samples_.columns->end(), name) !=
          samples_.columns->end()) {
    return fmt::format(
        "the dataset has this column: parse it first, with parse_csv: {{columns: [{}]}}", name);
  }
  if (columns_.empty()) return "begin the graph with parse_csv, parse_record or decode_image";
  std::vector<std::string_view> names;
  for (const MadeColumn& column : columns_) names.push_back(column.bound.schema.name);
  return fmt::format("columns made so far: {}", fmt::join(names, ", "));
}

void OpBuilder::Use(const MadeColumn& column) {
  inputs_.push_back(column.bound.schema.name);
  input_slots_.push_back(column.bound.slot);
  stage_ = std::max(stage_, column.stage);
}

std::optional<BoundColumn> OpBuilder::Input(std::string_view field, std::string_view name) {
  const MadeColumn* column = FindMade(name);
  if (column == nullptr) {
    Problem(field, fmt::format("there is no column {}", name), HintFor(name));
    return std::nullopt;
  }
  Use(*column);
  return column->bound;
}

bool OpBuilder::Accept(const MadeColumn& column, std::string_view field, Accepts accepts,
                       bool by_name) {
  const ColumnSchema& schema = column.bound.schema;
  if (accepts == Accepts::kFloats && !by_name) return IsFloat(schema.type);
  if (!IsText(schema.type)) return true;
  Problem(field, fmt::format("column {} holds text", schema.name),
          by_name ? "turn it into numbers with one_hot or hash_buckets first"
                  : "turn it into numbers with one_hot or hash_buckets, or name the columns");
  return false;
}

std::vector<BoundColumn> OpBuilder::Inputs(std::string_view field, const config::NameList& names,
                                           Accepts accepts) {
  std::vector<BoundColumn> inputs;
  const size_t num_problems = problems_.size();
  if (names.all) {
    for (const MadeColumn& column : columns_) {
      if (column.is_target || !Accept(column, field, accepts, /*by_name=*/false)) continue;
      Use(column);
      inputs.push_back(column.bound);
    }
  }
  std::set<std::string_view> seen;
  for (const std::string& name : names.names) {
    if (!seen.insert(name).second) {
      Problem(field, fmt::format("column {} is named twice", name));
      continue;
    }
    const std::optional<BoundColumn> input = Input(field, name);
    if (input.has_value() && Accept(*FindMade(name), field, accepts, /*by_name=*/true)) {
      inputs.push_back(*input);
    }
  }
  if (inputs.empty() && problems_.size() == num_problems) {
    Problem(field,
            accepts == Accepts::kFloats ? "there is no column of floats to work on"
                                        : "there is no column to work on",
            columns_.empty() ? HintFor("") : "name at least one column");
  }
  return inputs;
}

BoundColumn OpBuilder::Output(std::string_view field, ColumnSchema schema, bool is_target) {
  const int stage = stage_ + (fitted_ ? 1 : 0);
  MadeColumn* taken = FindMade(schema.name);
  if (taken == nullptr) {
    columns_.push_back(
        {.bound = {num_slots_++, std::move(schema)}, .is_target = is_target, .stage = stage});
    return outputs_.emplace_back(columns_.back().bound);
  }
  if (std::find(inputs_.begin(), inputs_.end(), schema.name) == inputs_.end()) {
    Problem(field, fmt::format("column {} already exists", schema.name), "give it another name");
  }
  taken->bound.schema = std::move(schema);
  taken->is_target = is_target;
  taken->stage = stage;
  return outputs_.emplace_back(taken->bound);
}

}  // namespace tidemill::transform
