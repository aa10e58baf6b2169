// The commands about the model that a pipeline has in use.
#pragma once

#include "nlohmann/json.hpp"

#include "cli/command_line/command.h"
#include "cli/stack/session.h"
#include "tidemill/model_store/v1/model_store.pb.h"

namespace tidemill::cli {

// Adds `use`, `rollback` and `changes` below `models`.
void AddModelUseCommands(Command& models);

// Adds the pipeline of a model, whether that has the model in use, and the changes that concern it.
absl::Status AddUseOfModel(const Session& session, const model_store::v1::Model& model,
                           nlohmann::ordered_json& json);

}  // namespace tidemill::cli
