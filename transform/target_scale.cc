#include "transform/target_scale.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "transform/engine/op_builder.h"
#include "transform/ops/numbers/standardize.h"

namespace tidemill::transform {
namespace {

absl::StatusOr<double> OnlyNumberOf(std::span<const Learned> learned, std::string_view statistic) {
  ASSIGN_OR_RETURN(const Learned* found, FindLearned(learned, kTargetColumn, statistic));
  if (found->numbers.size() == 1) return found->numbers.front();
  return InvalidArgument("the {} of the target is {} numbers instead of one", statistic,
                         found->numbers.size());
}

}  // namespace

void TargetScale::PutBack(std::span<float> values) const {
  if (IsNone()) return;
  for (float& value : values) {
    value = static_cast<float>(static_cast<double>(value) * deviation + mean);
  }
}

bool StandardizesTarget(const OpSpec& op) { return op->Target() == TargetMade::kStandardized; }

bool StandardizesTarget(const GraphSpec& graph) {
  return std::ranges::any_of(graph, [](const auto& op) { return StandardizesTarget(op.value); });
}

void StandardizeTarget(GraphSpec& graph) {
  graph.push_back({StandardizeSpec{.columns = {kTargetColumn}}});
}

absl::StatusOr<TargetScale> TargetScaleOf(const GraphSpec& graph, const FittedState* fitted) {
  for (int i = 0; i < std::ssize(graph); ++i) {
    if (!StandardizesTarget(graph[i].value)) continue;
    if (fitted == nullptr) return FailedPrecondition("the graph is not fitted yet");
    TargetScale scale;
    ASSIGN_OR_RETURN(scale.mean, OnlyNumberOf(fitted->Of(i), StandardizeSpec::kMean));
    ASSIGN_OR_RETURN(scale.deviation, OnlyNumberOf(fitted->Of(i), StandardizeSpec::kStd));
    return scale;
  }
  return TargetScale{};
}

}  // namespace tidemill::transform
