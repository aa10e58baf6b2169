#include "transform/engine/op_effect.h"

#include <algorithm>

namespace tidemill::transform {
namespace {

template <typename T>
NumberRange RangeOf() {
  using Limits = std::numeric_limits<T>;
  return {static_cast<double>(Limits::lowest()), static_cast<double>(Limits::max()), true};
}

}  // namespace

NumberRange NumberRange::With(const NumberRange& other) const {
  return {std::min(min, other.min), std::max(max, other.max), is_finite && other.is_finite};
}

NumberRange FiniteRangeOfType(batch::DataType type) {
  switch (type) {
    case batch::DataType::kUInt8:
      return RangeOf<uint8_t>();
    case batch::DataType::kInt32:
      return RangeOf<int32_t>();
    case batch::DataType::kInt64:
      return RangeOf<int64_t>();
    case batch::DataType::kFloat32:
      return RangeOf<float>();
    case batch::DataType::kFloat64:
      return RangeOf<double>();
    case batch::DataType::kBinary:
      break;
  }
  return {};
}

NumberRange RangeOfType(batch::DataType type) {
  return IsInteger(type) ? FiniteRangeOfType(type) : NumberRange();
}

NumberRange KnownNumbers::Of(const BoundColumn& column) const {
  const auto slot = static_cast<size_t>(column.slot);
  if (slot < ranges_.size() && ranges_[slot].is_set) return ranges_[slot].range;
  return RangeOfType(column.schema.type);
}

void KnownNumbers::Learn(const OpEffect& effect, std::span<const BoundColumn> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto slot = static_cast<size_t>(outputs[i].slot);
    if (slot >= ranges_.size()) ranges_.resize(slot + 1);
    ranges_[slot] = {};
    if (i < effect.made.size()) ranges_[slot] = {.is_set = true, .range = effect.made[i]};
  }
}

}  // namespace tidemill::transform
