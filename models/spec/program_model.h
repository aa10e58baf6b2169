// Whatever the program of a training returns, in place of a network.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "models/spec/model_spec.h"

namespace tidemill::models {

struct ProgramModel {
  static constexpr std::string_view kType = "program";
  static constexpr std::string_view kDoc =
      "Whatever the program of `training: {type: program}` returns: a module of PyTorch, or an "
      "object with a method `predict`, which answers in the sandbox of plug-ins.";
  static constexpr RowLengths kLengths = RowLengths::kPadded;
  int64_t outputs = 1;
  ProgramAnswers answers = ProgramAnswers::kProbabilities;

  void Fields(auto&& field) {
    field("outputs", outputs,
          "Numbers that it answers for each sample: one for each class, or 1 for two classes or a "
          "real label.",
          {.min = 1, .max = 1048576, .required = true});
    field("answers", answers,
          "What `predict` of an object answers for classes: probabilities or logits. With one "
          "output it is the probability, or the logit, of class 1. A module of PyTorch answers "
          "logits, as every network does.");
  }

  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const;
  std::vector<int64_t> IdLimits(std::string_view /*column*/) const { return {}; }
  bool HasSparseGradients() const { return false; }
  bool IsSmall() const { return false; }

  friend bool operator==(const ProgramModel&, const ProgramModel&) = default;
};

// FAILED_PRECONDITION: it is not a network.
absl::StatusOr<ModulePtr> MakeModule(const ProgramModel& spec, const NetworkParts& parts);

template <>
class ArchitectureOf<ProgramModel> final : public ArchitectureBase<ProgramModel> {
 public:
  std::optional<ProgramAnswers> Program() const override { return spec_.answers; }
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::ProgramAnswers> {
  static constexpr std::pair<tidemill::models::ProgramAnswers, std::string_view> kNames[] = {
      {tidemill::models::ProgramAnswers::kProbabilities, "probabilities"},
      {tidemill::models::ProgramAnswers::kLogits, "logits"}};
};
