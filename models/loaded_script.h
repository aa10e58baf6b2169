// Loads a TorchScript of a user. No other code loads a network's file for execution.
#pragma once

#include <string>

#include "torch/script.h"
#include "torch/version.h"

#include "base/status.h"

namespace tidemill::models {

// Checks the file as models/script says, loads it to the CPU, and checks the compiled graphs of all
// its functions, before any of them runs. The graphs of the result also check themselves what is
// only known when they run (script_guards.h). INVALID_ARGUMENT when it is not a TorchScript file,
// and when it contains forbidden code (with the record and the line, or the function and the
// operator).
absl::StatusOr<torch::jit::Module> LoadScript(const std::string& file);

// Does the same, but leaves the graphs as they are in the file: for a module that is written again
// and never run here.
absl::StatusOr<torch::jit::Module> LoadScriptToExport(const std::string& file);

// While this object lives, warnings of this thread's scripts are dropped, because the user controls
// their text and number.
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
