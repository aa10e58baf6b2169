// Exports models for use elsewhere. An export is made from an artefact: the parts of a model in one
// folder (artefact_spec.h).
#pragma once

#include <string>

#include "base/status.h"

namespace tidemill::models {

// Writes a folder with `model.safetensors`, `config.json`, a model card `README.md`, and what
// prepares a sample: `spec.yaml` and, if the graph has learned something, `fitted.batch`.
//
// FAILED_PRECONDITION when `output` exists already. NOT_FOUND, INVALID_ARGUMENT or DATA_LOSS when
// the artefact is not complete. The output appears under its name once it is whole.
absl::Status ExportSafetensors(const std::string& artefact, const std::string& output);

// Writes a file that torch::jit::load() and torch.jit.load() run without Tidemill. It is a trace of
// the network in evaluation mode, with its weights under their names. It takes the columns in the
// order of their names, for batches of any size. It contains `spec.yaml` and `config.json` as extra
// files. A network from a TorchScript file is exported as that file with the trained weights;
// nothing of it runs.
//
// The codes are those above. INTERNAL when the file of another network, loaded again, gives other
// results than the network.
absl::Status ExportTorchScript(const std::string& artefact, const std::string& output);

}  // namespace tidemill::models
