#include "models/spec/model_inputs.h"

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace tidemill::models {

const InputSpec* FindInput(const InputSpecs& inputs, std::string_view column) {
  const auto it = inputs.find(std::string(column));
  return it == inputs.end() ? nullptr : &it->second;
}

std::string CategoryColumn(const InputSpecs& inputs) {
  return std::string(FindInput(inputs, kInputCategories) != nullptr ? kInputCategories : kInput);
}

std::string Describe(const InputSpec& input) {
  return fmt::format("{} [{}]", input.is_integer ? "int64" : "float32",
                     fmt::join(input.shape, ", "));
}

}  // namespace tidemill::models
