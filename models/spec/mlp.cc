#include "models/spec/mlp.h"

#include <algorithm>

namespace tidemill::models {

bool Mlp::IsSmall() const {
  constexpr int64_t kSmallLayer = 256;
  return std::ranges::all_of(hidden, [](int64_t units) { return units <= kSmallLayer; });
}

}  // namespace tidemill::models
