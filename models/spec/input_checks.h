// Checks the columns that networks are given. `network` is how a message names the network, such as
// "an mlp". Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/spec/model_inputs.h"

namespace tidemill::models {

// Checks that there is one column of numbers, of images, of series or of token ids, and nothing
// else.
std::optional<SpecProblem> CheckVector(std::string_view network, const InputSpecs& inputs);
std::optional<SpecProblem> CheckImages(std::string_view network, const InputSpecs& inputs);
std::optional<SpecProblem> CheckSeries(std::string_view network, const InputSpecs& inputs);
std::optional<SpecProblem> CheckTokens(std::string_view network, const InputSpecs& inputs);

// Checks that there are numbers, optionally categories, and nothing else.
std::optional<SpecProblem> CheckDense(std::string_view network, const InputSpecs& inputs);

// Checks that a row has as many ids as there are categories.
std::optional<SpecProblem> CheckCategories(std::string_view network, const InputSpecs& inputs,
                                           const std::vector<int64_t>& categories);

// Describes a column that is not what the network takes, and a column that is missing.
SpecProblem WrongInput(std::string_view network, std::string_view takes, std::string_view column,
                       const InputSpec& input, std::string_view hint);
SpecProblem NoColumn(std::string_view network, std::string_view column, std::string_view takes);

}  // namespace tidemill::models
