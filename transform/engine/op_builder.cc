#include "transform/engine/op_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "config/column_list.h"
#include "transform/engine/column_rule.h"

namespace tidemill::transform {
namespace {

// The kind of column that an op looks for, in the singular.
std::string_view Wanted(Accepts accepts) {
  switch (accepts) {
    case Accepts::kFloats:
      return "column of floats";
    case Accepts::kNumbers:
      return "column";
    case Accepts::kKeys:
      return "column of texts or whole numbers";
  }
  return "column";
}

}  // namespace

OpBuilder::OpBuilder(const SampleSchema& samples, const std::vector<BoundColumn>& columns)
    : samples_(samples) {
  for (const BoundColumn& column : columns) {
    columns_.push_back({.bound = column});
    num_slots_ = std::max(num_slots_, column.slot + 1);
  }
}

int64_t ColumnSchema::Width() const {
  int64_t width = 1;
  for (const int64_t size : shape) width *= size;
  return width;
}

std::string_view Describe(batch::DataType type) {
  return IsText(type) ? "text" : batch::NameOf(type);
}

bool Holds(batch::DataType type, double value) {
  const bool whole = std::trunc(value) == value;
  switch (type) {
    case batch::DataType::kUInt8:
      return whole && value >= 0 && value <= 255;
    case batch::DataType::kInt32:
      return whole && std::abs(value) < 0x1p31;
    case batch::DataType::kInt64:
      return whole && std::abs(value) <= 0x1p53;
    case batch::DataType::kFloat32:
      return std::abs(value) <= std::numeric_limits<float>::max();
    case batch::DataType::kFloat64:
    case batch::DataType::kBinary:
      return true;
  }
  return true;
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
  inputs_.push_back(column.bound);
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
  if (accepts == Accepts::kKeys) {
    if (!IsFloat(schema.type)) return true;
    if (by_name) {
      Problem(field,
              fmt::format("column {} is {}, but it must be text or whole numbers", schema.name,
                          Describe(schema.type)),
              "parse it with dtype: string or int64");
    }
    return false;
  }
  if (!IsText(schema.type)) return true;
  Problem(field, fmt::format("column {} holds text", schema.name),
          by_name ? "turn it into numbers with one_hot or hash_buckets first"
                  : "turn it into numbers with one_hot or hash_buckets, or name the columns");
  return false;
}

std::vector<size_t> OpBuilder::ByRule(std::string_view at, const config::ColumnRule& rule,
                                      std::span<const std::string> names) {
  ChosenPlaces chosen = ChooseByRule(rule, names);
  for (RuleProblem& problem : chosen.problems) {
    Problem(config::JoinPath(at, problem.key), std::move(problem.message), std::move(problem.hint));
  }
  return std::move(chosen.places);
}

// `at` is the place of the rule in the list `field`.
void OpBuilder::InputsByRule(std::string_view at, std::string_view field,
                             const config::ColumnRule& rule, Accepts accepts,
                             std::set<std::string>& seen, std::vector<BoundColumn>& inputs) {
  std::vector<std::string> names;
  for (const MadeColumn& column : columns_) names.push_back(column.bound.schema.name);
  const size_t num_problems = problems_.size();
  const size_t num_inputs = inputs.size();
  for (const size_t place : ByRule(at, rule, names)) {
    const MadeColumn& column = columns_[place];
    if (column.is_target || seen.contains(names[place])) continue;
    if (!Accept(column, field, accepts, /*by_name=*/false)) continue;
    seen.insert(names[place]);
    Use(column);
    inputs.push_back(column.bound);
  }
  if (inputs.size() > num_inputs || problems_.size() > num_problems || columns_.empty()) return;
  Problem(at, fmt::format("chooses no {} that was not chosen before", Wanted(accepts)),
          "leave the rule out, or name columns");
}

std::vector<BoundColumn> OpBuilder::Inputs(std::string_view field,
                                           const config::ColumnList& columns, Accepts accepts) {
  std::vector<BoundColumn> inputs;
  const size_t num_problems = problems_.size();
  std::set<std::string> seen;
  for (size_t i = 0; i < columns.items.size(); ++i) {
    if (const auto* rule = std::get_if<config::ColumnRule>(&columns.items[i])) {
      const std::string at = config::JoinPath(field, columns.PathOf(i));
      InputsByRule(at, field, *rule, accepts, seen, inputs);
      continue;
    }
    const auto& name = std::get<std::string>(columns.items[i]);
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
    Problem(field, fmt::format("there is no {} to work on", Wanted(accepts)),
            columns_.empty() ? HintFor("") : "name at least one column");
  }
  if (columns.HasRules() && !columns.IsAll()) {
    ChosenColumns& chosen = chosen_.emplace_back(op_index_, std::string(field));
    for (const BoundColumn& input : inputs) chosen.names.push_back(input.schema.name);
  }
  return inputs;
}

std::vector<std::string> OpBuilder::Fields(std::string_view field,
                                           const config::ColumnList& columns) {
  if (!columns.HasRules()) return columns.Names();
  if (!samples_.columns.has_value()) {
    open_ = samples_.payload == PayloadKind::kCsv;
    return columns.Names();
  }
  std::vector<std::string> names;
  std::set<std::string> seen;
  if (samples_.label_column.has_value()) seen.insert(*samples_.label_column);
  for (size_t i = 0; i < columns.items.size(); ++i) {
    if (const auto* name = std::get_if<std::string>(&columns.items[i])) {
      seen.insert(*name);
      names.push_back(*name);
      continue;
    }
    const std::string at = config::JoinPath(field, columns.PathOf(i));
    const size_t before = names.size();
    const size_t num_problems = problems_.size();
    for (const size_t place :
         ByRule(at, std::get<config::ColumnRule>(columns.items[i]), *samples_.columns)) {
      const std::string& name = (*samples_.columns)[place];
      if (seen.insert(name).second) names.push_back(name);
    }
    if (names.size() > before || problems_.size() > num_problems) continue;
    Problem(at, "chooses no column except the label, or columns that were chosen before",
            "leave the rule out, or name columns");
  }
  chosen_.push_back({op_index_, std::string(field), names});
  return names;
}

BoundColumn OpBuilder::Output(std::string_view field, ColumnSchema schema, bool is_target) {
  const int stage = stage_ + (fitted_ ? 1 : 0);
  MadeColumn* taken = FindMade(schema.name);
  if (taken == nullptr) {
    columns_.push_back(
        {.bound = {num_slots_++, std::move(schema)}, .is_target = is_target, .stage = stage});
    return outputs_.emplace_back(columns_.back().bound);
  }
  if (std::ranges::none_of(
          inputs_, [&](const BoundColumn& input) { return input.schema.name == schema.name; })) {
    Problem(field, fmt::format("column {} already exists", schema.name), "give it another name");
  }
  taken->bound.schema = std::move(schema);
  taken->is_target = is_target;
  taken->stage = stage;
  return outputs_.emplace_back(taken->bound);
}

}  // namespace tidemill::transform
