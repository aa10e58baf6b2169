// Models for use elsewhere: made of an artefact, the parts of a model in one folder (see
// artefact_spec.h).
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::models {

// A folder with `model.safetensors`, `config.json`, a model card `README.md`, and what prepares a
// sample: `spec.yaml` and, where the graph has learned something, `fitted.batch`.
//
// FAILED_PRECONDITION when `output` is there already; NOT_FOUND, INVALID_ARGUMENT or DATA_LOSS for
// an artefact that is not whole. What is written appears under its name once it is whole.
absl::Status ExportSafetensors(const std::string& artefact, const std::string& output);

// A file that torch::jit::load() and torch.jit.load() run without Tidemill: a trace of the network
// in evaluation mode, with its weights under their names. It takes the columns in the order of
// their names, for batches of any size, and `spec.yaml` and `config.json` lie in it as extra files.
// A network that was a TorchScript file is that file with the trained weights.
//
// Codes as above; INTERNAL when the file, loaded again, does not give what the network gives.
absl::Status ExportTorchScript(const std::string& artefact, const std::string& output);

}  // namespace tidemill::models
