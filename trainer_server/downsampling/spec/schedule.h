// Lets one method after the other choose.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "config/choosing_part.h"
#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"

namespace tidemill::trainer_server {

struct DownsamplingStep {
  static constexpr std::string_view kDoc = "One step of the schedule.";
  std::optional<int64_t> triggers = std::nullopt;
  models::DownsamplingSpec use;

  void Fields(auto&& field) {
    field("triggers", triggers, "How many triggers the step serves. The last step has no such key.",
          {.min = 1});
    field("use", use, "The method. It cannot be a schedule.", {.required = true});
  }
  friend bool operator==(const DownsamplingStep&, const DownsamplingStep&) = default;
};

struct DownsamplingSchedule {
  static constexpr std::string_view kType = "schedule";
  static constexpr std::string_view kDoc = "Uses one method after the other.";
  static constexpr std::string_view kRule =
      "the first step serves the first `triggers` triggers, the next step those after them; the "
      "last step serves all others";
  static constexpr std::string_view kWeights = "those of the step's method";
  static constexpr std::string_view kCost = "that of the step's method";
  static constexpr std::string_view kSource = "";
  std::vector<DownsamplingStep> steps;

  void Fields(auto&& field) {
    field("steps", steps, "The methods, in the order of the triggers that they serve.",
          {.required = true, .min_items = 1, .max_items = 1000});
  }
  void Check(config::Problems& problems) const {
    config::CheckTriggerSteps(steps, kType, "write {triggers: 3, use: none} before it", problems);
  }

  friend bool operator==(const DownsamplingSchedule&, const DownsamplingSchedule&) = default;
};

// Returns nullptr: MethodAt() says which method chooses.
std::unique_ptr<const BlindMethod> MakeMethod(const DownsamplingSchedule& spec);

template <>
class DownsamplingOf<DownsamplingSchedule> final : public DownsamplingBase<DownsamplingSchedule> {
 public:
  models::DownsamplingSpec MethodAt(int64_t trigger) const override {
    const DownsamplingStep* const step = config::StepServing(spec_.steps, trigger);
    if (step != nullptr) return step->use->MethodAt(trigger);
    return {};  // Check() rejects such a schedule.
  }
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override {
    for (size_t i = 0; i < spec_.steps.size(); ++i) {
      const config::Problems::Scope scope(problems, fmt::format("steps[{}].use", i));
      spec_.steps[i].use->TakeFiles(files, problems);
    }
  }
  std::vector<const models::Downsampling*> Methods() const override {
    std::vector<const models::Downsampling*> methods;
    for (const DownsamplingStep& step : spec_.steps) methods.push_back(&*step.use);
    return methods;
  }
};

}  // namespace tidemill::trainer_server
