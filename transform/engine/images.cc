#include "transform/engine/images.h"

#include "fmt/ranges.h"

namespace tidemill::transform {

int LeastEighths(const ImageSize& from, const ImageSize& to) {
  for (const int eighths : {1, 2, 4}) {
    if (ReducedSide(from.height, eighths) >= to.height &&
        ReducedSide(from.width, eighths) >= to.width) {
      return eighths;
    }
  }
  return kEighths;
}

ImageSize ImageSizeOf(OpBuilder& builder, std::string_view field, const BoundColumn& column) {
  const std::vector<int64_t>& shape = column.schema.shape;
  if (IsText(column.schema.type) || shape.size() < 2 || shape.size() > 3) {
    builder.Problem(field,
                    fmt::format("column {} does not hold images: its rows have the shape [{}]",
                                column.schema.name, fmt::join(shape, ", ")),
                    "reshape it to [height, width] or [channels, height, width]");
    return {1, 1, 1};
  }
  if (shape.size() == 2) return {1, shape[0], shape[1]};
  return {shape[0], shape[1], shape[2]};
}

BoundColumn ImageOutput(OpBuilder& builder, const std::string& into, const BoundColumn& input,
                        int64_t height, int64_t width) {
  ColumnSchema schema = input.schema;
  if (!into.empty()) schema.name = into;
  if (schema.shape.size() >= 2) {
    schema.shape[schema.shape.size() - 2] = height;
    schema.shape[schema.shape.size() - 1] = width;
  }
  return builder.Output("into", std::move(schema));
}

}  // namespace tidemill::transform
