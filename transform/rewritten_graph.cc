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

}  // namespace tidemill::transform
