// The model in use in words.
#pragma once

#include <string>

#include "tidemill/supervisor/v1/model_use.pb.h"

namespace tidemill::supervisor {

// Returns "in use since 2026-11-29 08:00:00: trained at trigger 3 of run 2", or "in use and pinned
// since ...: ... (`models use --pin`)".
std::string InUseText(const v1::ModelChange& in_use);

// Returns the model as users name it: "model 12 (run 3, trigger 4)", or "no model".
std::string ModelText(const v1::ModelChange& change);

// Returns what the change did in one line: "model 12 (run 3, trigger 4) took the place of ...".
std::string ChangeText(const v1::ModelChange& change);

// The kind in lower case, as in JSON: "rolled_back".
std::string KindText(v1::ModelChangeKind kind);

}  // namespace tidemill::supervisor
