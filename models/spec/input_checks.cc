#include "models/spec/input_checks.h"

#include <initializer_list>

#include "fmt/format.h"

namespace tidemill::models {
namespace {

using Problem = std::optional<SpecProblem>;

// The first column that is none of those that the network takes.
Problem FindSurplus(std::string_view network, const InputSpecs& inputs,
                    std::initializer_list<std::string_view> taken) {
  for (const auto& [name, input] : inputs) {
    bool is_taken = false;
    for (const std::string_view one : taken) is_taken |= name == one;
    if (is_taken) continue;
    return SpecProblem{fmt::format("{} takes no column '{}'", network, name),
                       "stack everything that it takes into: input"};
  }
  return std::nullopt;
}

// Networks with one column of numbers, whose rank `fits`.
Problem CheckNumbers(std::string_view network, const InputSpecs& inputs, std::string_view takes,
                     std::string_view hint, bool (*fits)(size_t rank)) {
  const InputSpec* const input = FindInput(inputs, kInput);
  if (input == nullptr) return NoColumn(network, kInput, takes);
  if (input->is_integer || !fits(input->shape.size())) {
    return WrongInput(network, takes, kInput, *input, hint);
  }
  return FindSurplus(network, inputs, {kInput});
}

}  // namespace

SpecProblem WrongInput(std::string_view network, std::string_view takes, std::string_view column,
                       const InputSpec& input, std::string_view hint) {
  return {
      fmt::format("{} takes {}, but '{}' has rows of {}", network, takes, column, Describe(input)),
      std::string(hint)};
}

SpecProblem NoColumn(std::string_view network, std::string_view column, std::string_view takes) {
  return {fmt::format("{} takes {} in the column '{}', but the graph does not make it", network,
                      takes, column),
          fmt::format("end the op that makes it with into: {}", column)};
}

Problem CheckVector(std::string_view network, const InputSpecs& inputs) {
  return CheckNumbers(network, inputs, "float32 numbers", "stack makes numbers from columns",
                      [](size_t) { return true; });
}

Problem CheckImages(std::string_view network, const InputSpecs& inputs) {
  return CheckNumbers(network, inputs, "images",
                      "reshape the input to [channels, height, width] or use type: mlp",
                      [](size_t rank) { return rank == 2 || rank == 3; });
}

Problem CheckSeries(std::string_view network, const InputSpecs& inputs) {
  return CheckNumbers(network, inputs, "series of shape [history, features]",
                      "use a dataset with a series view, or type: mlp",
                      [](size_t rank) { return rank == 1 || rank == 2; });
}

Problem CheckTokens(std::string_view network, const InputSpecs& inputs) {
  const InputSpec* const input = FindInput(inputs, kInput);
  if (input == nullptr) return NoColumn(network, kInput, "token ids");
  if (!input->is_integer || input->shape.size() != 1) {
    return WrongInput(network, "token ids, int64 [length]", kInput, *input,
                      "make them with a tokeniser op");
  }
  return FindSurplus(network, inputs, {kInput});
}

Problem CheckCategories(std::string_view network, const InputSpecs& inputs,
                        const std::vector<int64_t>& categories) {
  const std::string column = CategoryColumn(inputs);
  const InputSpec* const ids = FindInput(inputs, column);
  if (ids == nullptr) return NoColumn(network, kInputCategories, "categories");
  if (!ids->is_integer || ids->shape.size() > 1) {
    return WrongInput(network, "categories, int64 [k]", column, *ids,
                      "make them with an op that gives whole numbers");
  }
  const int64_t width = ids->shape.empty() ? 1 : ids->shape[0];
  if (width == static_cast<int64_t>(categories.size())) return std::nullopt;
  return SpecProblem{fmt::format("{} categories are listed, but '{}' has {} ids in each row",
                                 categories.size(), column, width),
                     "list the number of ids of each category"};
}

Problem CheckDense(std::string_view network, const InputSpecs& inputs) {
  const InputSpec* const dense = FindInput(inputs, kInput);
  if (dense == nullptr) return NoColumn(network, kInput, "numbers");
  if (dense->is_integer || dense->shape.size() > 1) {
    return WrongInput(network, "numbers, float32 [d]", kInput, *dense,
                      "put ids into input_categories");
  }
  return FindSurplus(network, inputs, {kInput, kInputCategories});
}

}  // namespace tidemill::models
