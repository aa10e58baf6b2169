// standardize: shifts and scales numbers to mean 0 and deviation 1, as learned from samples.
#pragma once

#include <memory>
#include <string_view>

#include "config/column_list.h"
#include "transform/engine/graph_op.h"

namespace tidemill::transform {

struct StandardizeSpec {
  static constexpr std::string_view kType = "standardize";
  static constexpr std::string_view kDoc =
      "Replaces each number x of the columns by (x - mean) / std. The mean and the standard "
      "deviation are learned from the selected samples before training and stored with the model. "
      "Every number of a row has its own. A number that never varies gets the deviation 1, with a "
      "warning. float64 stays float64; all other types become float32. The column `target` is "
      "standardised only for training. Predictions are converted back into its own units, and "
      "models are measured in them.";
  static constexpr bool kIsRandom = false;
  // The statistics learned about a column. Each has one number per number of a row.
  static constexpr std::string_view kMean = "mean";
  static constexpr std::string_view kStd = "std";
  config::ColumnList columns = config::ColumnList::All();

  void Fields(auto&& field) {
    field("columns", columns,
          "`all` columns of floats that the ops before made, or a list of columns.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const StandardizeSpec&, const StandardizeSpec&) = default;
};

template <>
class GraphOpOf<StandardizeSpec> final : public GraphOpBase<StandardizeSpec> {
 public:
  TargetMade Target() const override;
};

}  // namespace tidemill::transform
