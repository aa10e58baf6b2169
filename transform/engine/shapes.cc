#include "transform/engine/shapes.h"

#include "fmt/ranges.h"

namespace tidemill::transform {

bool CheckShape(OpBuilder& builder, std::string_view field, const std::vector<int64_t>& shape) {
  constexpr size_t kMaxDimensions = 8;
  if (shape.size() > kMaxDimensions) {
    builder.Problem(field, fmt::format("has {} dimensions", shape.size()),
                    fmt::format("at most {} are allowed", kMaxDimensions));
    return false;
  }
  int64_t width = 1;
  for (const int64_t size : shape) {
    if (size < 1) {
      builder.Problem(field, fmt::format("holds the dimension {}", size),
                      "dimensions are 1 or more");
      return false;
    }
    if (size > kMaxWidth / width) {
      builder.Problem(field, fmt::format("[{}] is too large", fmt::join(shape, ", ")),
                      fmt::format("a sample may have at most {} numbers in a column", kMaxWidth));
      return false;
    }
    width *= size;
  }
  return true;
}

}  // namespace tidemill::transform
