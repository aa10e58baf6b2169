// Exports a stored model as files for other programs.
#pragma once

#include <string>

#include "base/status.h"
#include "model_store/client/model_store_client.h"

namespace tidemill::cli {

enum class ExportFormat {
  kSafetensors,  // A folder: weights, config.json, README.md, and what prepares samples.
  kTorchScript,  // A folder with a program of torch, made by the program tidemill-export.
  kOnnx,         // A folder with a program for ONNX runtimes, made by it, too.
};

// Writes the model to `output`, whole or not at all. FAILED_PRECONDITION when `output` exists
// already, or when the build has no tidemill-export. NOT_FOUND when the model is unknown. INTERNAL
// when tidemill-export fails, which has printed the reason on stderr. `rows` may name a file of the
// dataset, from which a program gets its row to try.
absl::Status ExportModel(model_store::ModelStoreClient& store, ModelId model, ExportFormat format,
                         const std::string& output, const std::string& rows);

}  // namespace tidemill::cli
