#include "transform/engine/op.h"

namespace tidemill::transform {

absl::Status Op::WriteSteps(std::span<const Learned> /*learned*/, PortableGraph& /*graph*/) const {
  return FailedPrecondition("it cannot be written as arithmetic on columns");
}

OpEffect Op::EffectOn(const KnownNumbers& /*numbers*/) const { return {}; }

absl::StatusOr<const Learned*> FindLearned(std::span<const Learned> learned,
                                           std::string_view column, std::string_view statistic) {
  for (const Learned& entry : learned) {
    if (entry.column == column && entry.statistic == statistic) return &entry;
  }
  return InvalidArgument("the fitted state has no {} for column {}", statistic, column);
}

}  // namespace tidemill::transform
