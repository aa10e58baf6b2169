// What networks ask of the columns that they are handed. `network` is how a message calls it, such
// as "an mlp". Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/spec/model_inputs.h"

namespace tidemill::models {

// One column of numbers, of images, of series or of token ids, and nothing else.
std::optional<SpecProblem> CheckVector(std::string_view network, const InputSpecs& inputs);
std::optional<SpecProblem> CheckImages(std::string_view network, const InputSpecs& inputs);
std::optional<SpecProblem> CheckSeries(std::string_view network, const InputSpecs& inputs);
std::optional<SpecProblem> CheckTokens(std::string_view network, const InputSpecs& inputs);

// Numbers, perhaps beside categories, and nothing else.
std::optional<SpecProblem> CheckDense(std::string_view network, const InputSpecs& inputs);

// As many ids in a row as there are categories.
std::optional<SpecProblem> CheckCategories(std::string_view network, const InputSpecs& inputs,
                                           const std::vector<int64_t>& categories);

// A column that is something else than what the network takes, and one that is missing.
SpecProblem WrongInput(std::string_view network, std::string_view takes, std::string_view column,
                       const InputSpec& input, std::string_view hint);
SpecProblem NoColumn(std::string_view network, std::string_view column, std::string_view takes);

}  // namespace tidemill::models
