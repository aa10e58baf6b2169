// The network of a model and the graph before it as one file of ONNX.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "models/export/onnx_steps.h"
#include "models/export/script_source.h"
#include "models/network.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::models {

struct OnnxModel {
  std::string bytes;
  std::vector<OnnxGap> gaps = {};
};

// Its inputs are the columns that a user gives, [rows, ...]. Its outputs are the outputs of the
// TorchScript module, and `class_name`. FAILED_PRECONDITION when the network cannot be written, or
// when a column has the name of an output.
absl::StatusOr<OnnxModel> MakeOnnxModel(const Network& network,
                                        const transform::PortableGraph& graph,
                                        const AnswerSpec& answer,
                                        const std::map<std::string, std::string>& metadata);

}  // namespace tidemill::models
