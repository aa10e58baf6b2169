// Networks of tables: numbers beside the ids of categories. Inputs have passed
// FindInputProblem(). All throw c10::Error: call them in Guard().
#pragma once

#include "models/network.h"

namespace tidemill::models {

ModulePtr MakeDlrm(const Dlrm& spec, const InputSpecs& inputs);
ModulePtr MakeFactorizationMachine(const FactorizationMachine& spec, const InputSpecs& inputs);

}  // namespace tidemill::models
