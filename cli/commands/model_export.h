// Exports a stored model as files for other programs.
#pragma once

#include <string>

#include "base/status.h"
#include "model_store/client/model_store_client.h"

namespace tidemill::cli {

enum class ExportFormat {
  kSafetensors,  // A folder: weights, config.json, README.md, and what prepares samples.
  kTorchScript,  // One file, made by the program tidemill-export.
};

// Writes the model to `output`, whole or not at all. FAILED_PRECONDITION when something is there
// already, or when the build has no tidemill-export. NOT_FOUND when the model is unknown. INTERNAL
// when tidemill-export fails; it has said why on stderr.
absl::Status ExportModel(model_store::ModelStoreClient& store, ModelId model, ExportFormat format,
                         const std::string& output);

}  // namespace tidemill::cli
