#include "models/spec/program_model.h"

#include "base/status.h"
#include "models/network.h"

namespace tidemill::models {

absl::StatusOr<ModulePtr> MakeModule(const ProgramModel& /*spec*/, const NetworkParts& /*parts*/) {
  return FailedPrecondition(
      "the model is an object of a program in Python, and no network; let the program return a "
      "module of PyTorch to have one");
}

}  // namespace tidemill::models
