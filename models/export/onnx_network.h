// Writes a network as nodes of ONNX.
#pragma once

#include <map>
#include <string>

#include "base/status.h"
#include "models/export/onnx_graph.h"
#include "models/network.h"

namespace tidemill::models {

// Writes torch's trace of the network, operator by operator. `inputs` are values of `onnx` by the
// names of the network's inputs. Returns the value of the outputs. FAILED_PRECONDITION names an
// operator of torch that cannot be written, and is also returned for a program of a user, which
// must not run here.
absl::StatusOr<std::string> WriteOnnxNetwork(const Network& network,
                                             const std::map<std::string, std::string>& inputs,
                                             OnnxGraph& onnx);

}  // namespace tidemill::models
