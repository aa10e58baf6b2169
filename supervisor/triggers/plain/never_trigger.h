// Trains once, or never.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor {

struct NeverTrigger {
  static constexpr std::string_view kType = "never";
  static constexpr std::string_view kDoc =
      "Never retrains. It is the baseline that any other policy has to beat.";
  static constexpr std::string_view kRule = "samples >= `first`, once";
  static constexpr std::string_view kPoints = "right after the `first` sample, or nowhere";
  static constexpr std::string_view kCost = "none; two numbers of state";
  static constexpr std::string_view kSource = "";
  std::optional<int64_t> first = std::nullopt;

  void Fields(auto&& field) {
    field("first", first,
          "The only model is trained after this many samples. By default no model is trained.",
          {.min = 1, .example = "2000"});
  }
};

std::unique_ptr<TriggerPolicy> MakePolicy(const NeverTrigger& spec);
Verdict Judge(const NeverTrigger& spec, const Observed& observed);
std::string Explain(const NeverTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const NeverTrigger& spec);

}  // namespace tidemill::supervisor
