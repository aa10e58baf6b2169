// Networks of texts, as rows of token ids. Inputs have passed FindInputProblem(). All throw
// c10::Error: call them in Guard().
#pragma once

#include "models/network.h"

namespace tidemill::models {

ModulePtr MakeEmbeddingBag(const EmbeddingBag& spec, const InputSpecs& inputs);
ModulePtr MakeTextTransformer(const TextTransformer& spec, const InputSpecs& inputs);

}  // namespace tidemill::models
