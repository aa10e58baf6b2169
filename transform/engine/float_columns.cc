#include "transform/engine/float_columns.h"

namespace tidemill::transform {

std::vector<BoundColumn> ReplaceByFloats(OpBuilder& builder, std::string_view field,
                                         const std::vector<BoundColumn>& inputs) {
  std::vector<BoundColumn> outputs;
  for (const BoundColumn& input : inputs) {
    ColumnSchema schema = input.schema;
    if (schema.type != batch::DataType::kFloat64) schema.type = batch::DataType::kFloat32;
    outputs.push_back(builder.Output(field, std::move(schema)));
  }
  return outputs;
}

}  // namespace tidemill::transform
