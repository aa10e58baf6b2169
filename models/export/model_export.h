// Exports models for use elsewhere. An export is made from an artefact: the parts of a model in one
// folder (artefact_spec.h).
#pragma once

#include <string>

#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::models {

// Writes a folder with `model.safetensors`, `config.json`, a model card `README.md`, and the files
// that prepare a sample: `spec.yaml` and, if the graph has learned parameters, `fitted.json`.
//
// FAILED_PRECONDITION when `output` exists already. NOT_FOUND, INVALID_ARGUMENT or DATA_LOSS when
// the artefact is not complete. The output gets its name once it is complete.
absl::Status ExportSafetensors(const std::string& artefact, const std::string& output);

// Writes a folder with `model.pt`, which torch::jit::load() and torch.jit.load() run without
// Tidemill, and the files of export_files.h. The module takes the columns that the graph reads from
// a sample, for any number of rows. It holds the graph with what it learned, and a trace of the
// network in evaluation mode with its weights under their names. It contains `spec.yaml` and
// `config.json` as extra files. The user gives the columns of an op that cannot be written. A
// network from a TorchScript file is exported as that file with the trained weights; its code does
// not run.
//
// `samples`, a batch with payloads of the dataset, test the module. The first good sample becomes
// the example row of the README. The batch may be empty.
//
// Returns the errors above. INTERNAL when the module, loaded again, gives other results than the
// graph and the network.
absl::Status ExportTorchScript(const std::string& artefact, const batch::Batch& samples,
                               const std::string& output);

// Writes a folder with `model.onnx`, which onnxruntime runs, and the same files. The file takes the
// same columns by name and gives the same answers. Values without an operator in ONNX, hashes and
// the words of texts, become columns that the user gives.
//
// Returns the errors above. FAILED_PRECONDITION when the network has an operator that cannot be
// written, or is a program of a user.
absl::Status ExportOnnx(const std::string& artefact, const batch::Batch& samples,
                        const std::string& output);

}  // namespace tidemill::models
