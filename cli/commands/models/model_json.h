// A model as the JSON object that `--json` prints.
#pragma once

#include <cstdint>

#include "nlohmann/json.hpp"

#include "tidemill/model_store/v1/model_store.pb.h"

namespace tidemill::cli {

nlohmann::ordered_json ModelToJson(const model_store::v1::Model& model);

// Returns the bytes of the model's parts.
int64_t BytesOf(const model_store::v1::Model& model);

}  // namespace tidemill::cli
