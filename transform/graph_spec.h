// A preprocessing graph as users write it. transform/ops/op_list.h lists the ops.
//
//   graph:
//     - parse_csv: {columns: [temperature, wind], dtype: float32}
//     - standardize: {columns: all}
//     - stack: {columns: all, into: input}
//     - label: {into: target}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/describe.h"
#include "config/types.h"
#include "transform/engine/graph_op.h"

namespace tidemill::transform {

using GraphSpec = std::vector<config::Keyed<OpSpec>>;

// Returns the non-empty results of GraphOp::RunsWith() of all ops.
std::vector<std::string> AllRunsWith(const GraphSpec& graph);

// Replaces rules by names, so that the graph uses the same columns wherever it is built.
void NameColumns(const std::vector<ChosenColumns>& chosen, GraphSpec& graph);

// The section `preprocess` of a pipeline.
struct PreprocessSpec {
  static constexpr std::string_view kDoc =
      "How samples become the tensors that the model takes. Ops run in order, and each makes "
      "columns from earlier columns. The graph must make a column `input` of float32 or int64, "
      "more columns `input_...` if the model takes several, and, for training, a column `target`.";
  std::string dataset;
  GraphSpec graph;

  void Fields(auto&& field) {
    field("dataset", dataset, "Name of the dataset to train on.",
          config::Limits{.required = true, .example = "elec2"});
    field("graph", graph, "The ops, in order.", config::Limits{.required = true, .min_items = 1});
  }

  friend bool operator==(const PreprocessSpec&, const PreprocessSpec&) = default;
};

}  // namespace tidemill::transform

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::transform::GraphSpec);
