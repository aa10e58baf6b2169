#include "loader/number_targets.h"

#include <algorithm>
#include <cmath>

#include "fmt/format.h"

#include "transform/engine/op_builder.h"

namespace tidemill::loader {

std::vector<NoNumber> FindNonFiniteTargets(const batch::Batch& rows) {
  const batch::Column* const target = rows.Find(transform::kTargetColumn);
  if (target == nullptr || target->type != batch::DataType::kFloat32) return {};
  const auto values = target->Values<float>();
  const auto width = static_cast<size_t>(target->Width());
  std::vector<NoNumber> found;
  for (size_t first = 0; width > 0 && first + width <= values.size(); first += width) {
    const auto of_row = values.subspan(first, width);
    const auto bad =
        std::ranges::find_if(of_row, [](float value) { return !std::isfinite(value); });
    if (bad == of_row.end()) continue;
    found.push_back({static_cast<int64_t>(first / width),
                     fmt::format("its target is {}, not a finite number", *bad)});
  }
  return found;
}

}  // namespace tidemill::loader
