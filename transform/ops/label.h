// label: makes the sample's label the target of training.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/graph_op.h"

namespace tidemill::transform {

struct LabelSpec {
  static constexpr std::string_view kType = "label";
  static constexpr std::string_view kDoc =
      "Makes a column of the label that the dataset gives each sample: int64 for classes, float32 "
      "for real numbers. A sample is bad if it has no label, or if its label is not a class.";
  static constexpr bool kIsRandom = false;
  std::string into = "target";

  void Fields(auto&& field) {
    field("into", into, "Name of the column to make. The loss takes `target`.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const LabelSpec&, const LabelSpec&) = default;
};

template <>
class GraphOpOf<LabelSpec> final : public GraphOpBase<LabelSpec> {
 public:
  TargetMade Target() const override;
};

}  // namespace tidemill::transform
