// Writes a portable graph as nodes of ONNX.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/export/onnx_graph.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::models {

// A value without an operator in ONNX. The user gives it as a column.
struct OnnxGap {
  std::string column;  // The name of the input.
  std::string meaning;
};

struct OnnxSteps {
  // Values by the names of the columns that the model takes.
  std::map<std::string, std::string> model_inputs = {};
  std::string is_bad;
  std::vector<OnnxGap> gaps = {};
};

// The inputs of `onnx` are the columns that are needed.
OnnxSteps WriteOnnxSteps(const transform::PortableGraph& graph, OnnxGraph& onnx);

}  // namespace tidemill::models
