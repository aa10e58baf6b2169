// The part of a graph that puts a plan of rewrites into effect.
#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "transform/graph.h"

namespace tidemill::transform {
namespace {

// The same columns where the op runs.
std::vector<BoundColumn> Now(std::vector<BoundColumn> columns,
                             const std::map<int, ColumnSchema>& schemas) {
  for (BoundColumn& column : columns) column.schema = schemas.at(column.slot);
  return columns;
}

bool AreInSameSlots(const std::vector<BoundColumn>& left, const std::vector<BoundColumn>& right) {
  return std::ranges::equal(left, right, {}, &BoundColumn::slot, &BoundColumn::slot);
}

}  // namespace

// `spec` names its columns. An op whose columns have another shape or type where it runs is built
// again, under its place as written.
void Graph::Rewire(const GraphSpec& spec) {
  std::vector<WrittenOp> written;
  std::map<int, ColumnSchema> as_written;  // By slot, in the end.
  for (const BoundOp& op : ops_) {
    written.push_back({.op = op.op.get(),
                       .name = op.name,
                       .learns = op.fitted,
                       .inputs = op.inputs,
                       .outputs = op.outputs});
    for (const BoundColumn& made : op.outputs) as_written[made.slot] = made.schema;
  }
  plan_ = PlanRewrites(written);
  std::map<int, ColumnSchema> schemas;
  for (const int index : plan_.order) {
    BoundOp& op = ops_[index];
    const std::vector<BoundColumn> inputs = Now(op.inputs, schemas);
    if (inputs != op.inputs) {
      std::vector<BoundColumn> columns = inputs;
      // In the order in which they were made, which is that of `all`.
      std::ranges::sort(columns, {}, &BoundColumn::slot);
      OpBuilder builder(*samples_, columns);
      builder.BeginOp(index);
      op.op = spec[index].value->Build(builder);
      TIDEMILL_CHECK(builder.problems().empty() && AreInSameSlots(builder.inputs(), inputs) &&
                     AreInSameSlots(builder.outputs(), op.outputs));
      op.inputs = inputs;
      op.outputs = builder.outputs();
    }
    const auto reduced = std::ranges::find(plan_.reduced, index, &ReducedImages::op);
    if (reduced != plan_.reduced.end()) {
      op.op = op.op->Reduced(reduced->eighths);
      TIDEMILL_CHECK(op.op != nullptr && AreInSameSlots(op.op->block_op()->outputs(), op.outputs));
      op.outputs = op.op->block_op()->outputs();
    }
    for (const BoundColumn& made : op.outputs) schemas[made.slot] = made.schema;
  }
  TIDEMILL_CHECK(schemas == as_written);
}

// Whether the op at `place` is the only one that reads what the one at `maker` makes.
bool Graph::IsOnlyReader(size_t place, size_t maker, int slot) const {
  const auto is_slot = [&](const BoundColumn& column) { return column.slot == slot; };
  for (size_t i = maker + 1; i < order().size(); ++i) {
    const BoundOp& op = ops_[order()[i]];
    if (i != place && std::ranges::any_of(op.inputs, is_slot)) return false;
    if (std::ranges::any_of(op.outputs, is_slot)) return true;  // From here on, it is another one.
  }
  return !std::ranges::any_of(inputs_, is_slot) && !(target_.has_value() && is_slot(*target_));
}

// From the last op to the first: what cuts images tells what makes them which pixels it needs.
void Graph::LeaveOutPixels() {
  for (size_t place = order().size(); place-- > 0;) {
    const BoundOp& reader = ops_[order()[place]];
    const std::optional<ImagePart> part = reader.RunningBefore(order().size()).PartRead();
    if (!part) continue;
    const int slot = reader.inputs.front().slot;
    for (size_t maker = place; maker-- > 0;) {
      BoundOp& op = ops_[order()[maker]];
      if (std::ranges::find(op.outputs, slot, &BoundColumn::slot) == op.outputs.end()) continue;
      if (IsOnlyReader(place, maker, slot)) op.for_part = op.op->ForPart(*part);
      op.part_reader = place;
      break;
    }
  }
}

}  // namespace tidemill::transform
