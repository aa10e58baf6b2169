// Networks of series: features at places in time. Inputs have passed FindInputProblem(). All
// throw c10::Error: call them in Guard().
#pragma once

#include "models/network.h"

namespace tidemill::models {

ModulePtr MakeGru(const Gru& spec, const InputSpecs& inputs);
ModulePtr MakeTcn(const Tcn& spec, const InputSpecs& inputs);

}  // namespace tidemill::models
