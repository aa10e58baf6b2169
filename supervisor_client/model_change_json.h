// The model in use as JSON.
#pragma once

#include "nlohmann/json.hpp"

#include "tidemill/supervisor/v1/model_use.pb.h"

namespace tidemill::supervisor {

// {"model": ..., "since": ..., "why": ..., "pinned": ...} of a model in use.
nlohmann::ordered_json ModelInUseToJson(const v1::ModelChange& in_use);

// One change, with everything that it says.
nlohmann::ordered_json ModelChangeToJson(const v1::ModelChange& change);

}  // namespace tidemill::supervisor
