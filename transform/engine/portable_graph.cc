#include "transform/engine/portable_graph.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "base/check.h"

namespace tidemill::transform {
namespace {

using batch::DataType;

int64_t Product(const std::vector<int64_t>& shape) {
  return ColumnSchema{.name = {}, .shape = shape}.Width();
}

// The shape of a result of two numbers each: dimensions meet from the end.
std::vector<int64_t> Meet(const std::vector<int64_t>& left, const std::vector<int64_t>& right) {
  std::vector<int64_t> shape = left.size() < right.size() ? right : left;
  const std::vector<int64_t>& other = left.size() < right.size() ? left : right;
  for (size_t i = 0; i < other.size(); ++i) {
    int64_t& at = shape[shape.size() - 1 - i];
    const int64_t with = other[other.size() - 1 - i];
    TIDEMILL_CHECK(at == with || at == 1 || with == 1);
    at = std::max(at, with);
  }
  return shape;
}

bool IsComparison(StepKind kind) {
  return kind == StepKind::kEqual || kind == StepKind::kLess || kind == StepKind::kGreaterOrEqual ||
         kind == StepKind::kAnd || kind == StepKind::kOr;
}

}  // namespace

void PortableGraph::BeginOp(int op_index, std::string_view type) {
  op_index_ = op_index;
  prefix_ = fmt::format("op{}_{}_", op_index + 1, type);
}

StepId PortableGraph::Add(Step step) {
  for (const StepId input : step.inputs) TIDEMILL_CHECK(input < std::ssize(steps_));
  // All truths are of one type.
  if (step.is_truth) step.type = DataType::kUInt8;
  steps_.push_back(std::move(step));
  return static_cast<StepId>(steps_.size()) - 1;
}

StepId PortableGraph::Give(const BoundColumn& column, std::string meaning) {
  const auto& [slot, schema] = column;
  const StepId step = Add(
      {.kind = StepKind::kRead, .type = schema.type, .shape = schema.shape, .name = schema.name});
  given_.push_back({.schema = schema,
                    .op_index = op_index_,
                    .slot = slot,
                    .meaning = std::move(meaning),
                    .step = step});
  Set(column, step);
  return step;
}

StepId PortableGraph::EventTime() {
  const auto is_time = [](const GivenColumn& column) { return column.slot == kEventTimeSlot; };
  const auto known = std::ranges::find_if(given_, is_time);
  if (known != given_.end()) return known->step;
  const ColumnSchema schema{.name = std::string(batch::kEventTimeColumn), .type = DataType::kInt64};
  return Give({.slot = kEventTimeSlot, .schema = schema},
              "the time of the sample: microseconds since 1970-01-01 in UTC");
}

StepId PortableGraph::GiveImage(const BoundColumn& column, std::string meaning) {
  BoundColumn given = column;
  const std::vector<int64_t> shape = column.schema.shape;
  TIDEMILL_CHECK(shape.size() == 3);
  given.schema.shape = {shape[1], shape[2], shape[0]};
  const StepId step = Give(given, std::move(meaning));
  given_.back().channels_last = true;
  const StepId image = Transpose(step, {2, 0, 1});
  Set(column, image);
  return image;
}

StepId PortableGraph::Constant(std::string_view name, DataType type, std::vector<int64_t> shape,
                               std::vector<double> numbers) {
  TIDEMILL_CHECK(Product(shape) == std::ssize(numbers));
  return Add({.kind = StepKind::kConstant,
              .type = type,
              .shape = std::move(shape),
              .name = prefix_ + std::string(name),
              .numbers = std::move(numbers)});
}

StepId PortableGraph::Number(DataType type, double number) {
  return Constant("number", type, {}, {number});
}

StepId PortableGraph::Cast(StepId from, DataType type) {
  const Step& step = steps_[from];
  if (!step.is_truth && step.type == type) return from;
  return Add({.kind = StepKind::kCast, .inputs = {from}, .type = type, .shape = step.shape});
}

StepId PortableGraph::Apply(StepKind kind, StepId input) {
  Step made{.kind = kind,
            .inputs = {input},
            .type = steps_[input].type,
            .is_truth = steps_[input].is_truth,
            .shape = steps_[input].shape};
  made.is_truth |= kind == StepKind::kIsMissing || kind == StepKind::kIsFinite;
  if (kind == StepKind::kAnyOfRow) made.shape.clear();
  if (kind == StepKind::kSumOfLast) made.shape.pop_back();
  return Add(std::move(made));
}

StepId PortableGraph::Apply(StepKind kind, StepId left, StepId right) {
  TIDEMILL_CHECK(steps_[left].type == steps_[right].type);
  return Add({.kind = kind,
              .inputs = {left, right},
              .type = steps_[left].type,
              .is_truth = IsComparison(kind),
              .shape = Meet(steps_[left].shape, steps_[right].shape)});
}

StepId PortableGraph::Where(StepId truth, StepId yes, StepId no) {
  TIDEMILL_CHECK(steps_[truth].is_truth && steps_[yes].type == steps_[no].type);
  const std::vector<int64_t> shape = Meet(steps_[yes].shape, steps_[no].shape);
  return Add({.kind = StepKind::kWhere,
              .inputs = {truth, yes, no},
              .type = steps_[yes].type,
              .shape = Meet(steps_[truth].shape, shape)});
}

StepId PortableGraph::Reshape(StepId from, std::vector<int64_t> shape) {
  if (steps_[from].shape == shape) return from;
  TIDEMILL_CHECK(Product(steps_[from].shape) == Product(shape));
  return Add({.kind = StepKind::kReshape,
              .inputs = {from},
              .type = steps_[from].type,
              .is_truth = steps_[from].is_truth,
              .shape = std::move(shape)});
}

StepId PortableGraph::Concatenate(std::vector<StepId> from, int64_t dimension) {
  if (from.size() == 1) return from.front();
  Step made{.kind = StepKind::kConcatenate,
            .type = steps_[from.front()].type,
            .shape = steps_[from.front()].shape,
            .settings = {dimension}};
  int64_t size = 0;
  for (const StepId part : from) {
    TIDEMILL_CHECK(steps_[part].type == made.type);
    size += steps_[part].shape[static_cast<size_t>(dimension)];
  }
  made.shape[static_cast<size_t>(dimension)] = size;
  made.inputs = std::move(from);
  return Add(std::move(made));
}

StepId PortableGraph::Slice(StepId from, int64_t dimension, int64_t begin, int64_t end) {
  Step made{.kind = StepKind::kSlice,
            .inputs = {from},
            .type = steps_[from].type,
            .shape = steps_[from].shape,
            .settings = {dimension, begin, end}};
  made.shape[static_cast<size_t>(dimension)] = end - begin;
  return Add(std::move(made));
}

StepId PortableGraph::Reverse(StepId from, int64_t dimension) {
  return Add({.kind = StepKind::kReverse,
              .inputs = {from},
              .type = steps_[from].type,
              .shape = steps_[from].shape,
              .settings = {dimension}});
}

StepId PortableGraph::Pad(StepId from, const std::vector<int64_t>& before,
                          const std::vector<int64_t>& after, double number) {
  Step made{.kind = StepKind::kPad,
            .inputs = {from},
            .type = steps_[from].type,
            .shape = steps_[from].shape,
            .numbers = {number},
            .settings = before};
  TIDEMILL_CHECK(before.size() == made.shape.size() && after.size() == made.shape.size());
  made.settings.insert(made.settings.end(), after.begin(), after.end());
  for (size_t i = 0; i < made.shape.size(); ++i) made.shape[i] += before[i] + after[i];
  return Add(std::move(made));
}

StepId PortableGraph::Repeat(StepId from, int64_t count) {
  TIDEMILL_CHECK(Product(steps_[from].shape) == 1);
  return Add({.kind = StepKind::kRepeat,
              .inputs = {Reshape(from, {1})},
              .type = steps_[from].type,
              .shape = {count},
              .settings = {count}});
}

StepId PortableGraph::Transpose(StepId from, std::vector<int64_t> dimensions) {
  Step made{.kind = StepKind::kTranspose, .inputs = {from}, .type = steps_[from].type};
  for (const int64_t dimension : dimensions) {
    made.shape.push_back(steps_[from].shape[static_cast<size_t>(dimension)]);
  }
  made.settings = std::move(dimensions);
  return Add(std::move(made));
}

StepId PortableGraph::MatrixProduct(StepId left, StepId right) {
  const std::vector<int64_t>& a = steps_[left].shape;
  const std::vector<int64_t>& b = steps_[right].shape;
  TIDEMILL_CHECK(a.size() >= 2 && b.size() >= 2 && a.back() == b[b.size() - 2]);
  std::vector<int64_t> shape = a.size() < b.size() ? b : a;
  shape[shape.size() - 2] = a[a.size() - 2];
  shape.back() = b.back();
  return Add({.kind = StepKind::kMatrixProduct,
              .inputs = {left, right},
              .type = steps_[left].type,
              .shape = std::move(shape)});
}

StepId PortableGraph::PlaceOfText(StepId text, std::vector<std::string> words) {
  return Add({.kind = StepKind::kPlaceOfText,
              .inputs = {text},
              .type = DataType::kInt64,
              .name = prefix_ + "places",
              .words = std::move(words)});
}

StepId PortableGraph::HashOf(StepId from, int64_t buckets, int64_t seed) {
  const bool is_text = IsText(steps_[from].type);
  const StepId input = is_text ? from : Cast(from, DataType::kInt64);
  return Add({.kind = is_text ? StepKind::kHashOfText : StepKind::kHashOfNumber,
              .inputs = {input},
              .type = DataType::kInt64,
              .shape = steps_[from].shape,
              .settings = {buckets, seed}});
}

StepId PortableGraph::PlacesOfWords(StepId text, std::vector<int64_t> settings,
                                    std::vector<std::string> words) {
  const int64_t length = settings[1];
  return Add({.kind = StepKind::kPlacesOfWords,
              .inputs = {text},
              .type = DataType::kInt64,
              .shape = {length},
              .name = prefix_ + "places",
              .settings = std::move(settings),
              .words = std::move(words)});
}

StepId PortableGraph::HashesOfWords(StepId text, std::vector<int64_t> settings) {
  const int64_t length = settings[1];
  return Add({.kind = StepKind::kHashesOfWords,
              .inputs = {text},
              .type = DataType::kInt64,
              .shape = {length},
              .settings = std::move(settings)});
}

StepId PortableGraph::OneHot(StepId place, int64_t width) {
  std::vector<double> places(static_cast<size_t>(width));
  for (int64_t i = 0; i < width; ++i) places[static_cast<size_t>(i)] = static_cast<double>(i);
  const StepId all = Constant("all_places", DataType::kInt64, {width}, std::move(places));
  const StepId row = Reshape(Cast(place, DataType::kInt64), {1});
  return Cast(Apply(StepKind::kEqual, row, all), DataType::kFloat32);
}

void PortableGraph::Reject(StepId truth) {
  TIDEMILL_CHECK(steps_[truth].is_truth);
  rejects_.push_back(steps_[truth].shape.empty() ? truth : Apply(StepKind::kAnyOfRow, truth));
}

void PortableGraph::RejectNonFinite(StepId numbers) {
  Reject(Apply(StepKind::kNot, Apply(StepKind::kIsFinite, numbers)));
}

void PortableGraph::Set(const BoundColumn& column, StepId step) { columns_[column.slot] = step; }

StepId PortableGraph::Get(const BoundColumn& column) const {
  const auto found = columns_.find(column.slot);
  TIDEMILL_CHECK(found != columns_.end());
  return found->second;
}

std::vector<StepId> PortableGraph::Renumber(const std::vector<bool>& used) {
  std::vector<StepId> places(steps_.size(), -1);
  std::vector<Step> kept;
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (!used[i]) continue;
    places[i] = static_cast<StepId>(kept.size());
    for (StepId& input : steps_[i].inputs) input = places[static_cast<size_t>(input)];
    kept.push_back(std::move(steps_[i]));
  }
  steps_ = std::move(kept);
  return places;
}

void PortableGraph::Finish(const std::vector<BoundColumn>& model_inputs) {
  for (const BoundColumn& column : model_inputs) model_inputs_[column.schema.name] = Get(column);
  std::vector<bool> used(steps_.size());
  for (const auto& [name, step] : model_inputs_) used[static_cast<size_t>(step)] = true;
  for (const StepId step : rejects_) used[static_cast<size_t>(step)] = true;
  for (size_t i = steps_.size(); i-- > 0;) {
    if (!used[i]) continue;
    for (const StepId input : steps_[i].inputs) used[static_cast<size_t>(input)] = true;
  }
  const std::vector<StepId> places = Renumber(used);
  const auto place_of = [&](StepId step) { return places[static_cast<size_t>(step)]; };
  for (auto& [name, step] : model_inputs_) step = place_of(step);
  for (StepId& step : rejects_) step = place_of(step);
  std::erase_if(given_, [&](const GivenColumn& column) { return place_of(column.step) < 0; });
  for (GivenColumn& column : given_) column.step = place_of(column.step);
  NameEventTime();
  columns_.clear();
}

void PortableGraph::NameEventTime() {
  const auto has_name = [](const GivenColumn& column) {
    return column.schema.name == batch::kEventTimeColumn;
  };
  if (std::ranges::count_if(given_, has_name) < 2) return;
  for (GivenColumn& column : given_) {
    if (column.slot != kEventTimeSlot) continue;
    column.schema.name += "_microseconds";
    steps_[column.step].name = column.schema.name;
  }
}

}  // namespace tidemill::transform
