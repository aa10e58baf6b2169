// Loads a TorchScript of a user: the only way in which a network's file becomes something that
// runs.
#pragma once

#include <string>

#include "torch/script.h"
#include "torch/version.h"

#include "base/status.h"

namespace tidemill::models {

// Checks the file as models/script says, loads it to the CPU, and checks the compiled graphs of all
// its functions, before any of them runs. INVALID_ARGUMENT for what is no TorchScript file, and for
// one that holds what a script may not (with the record and the line, or with the function and the
// operator).
absl::StatusOr<torch::jit::Module> LoadScript(const std::string& file);

// While this object lives, warnings of this thread's scripts go nowhere: their texts and their
// number are the user's.
class QuietScript {
 public:
  QuietScript();

 private:
#if TORCH_VERSION_MAJOR >= 2
  const c10::WarningUtils::WarningHandlerGuard guard_;
#else
  const c10::Warning::WarningHandlerGuard guard_;
#endif
};

}  // namespace tidemill::models
