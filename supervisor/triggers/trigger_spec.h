// The `trigger` section of a pipeline: when to retrain.
//
//   trigger: {type: amount, samples: 2000}
//   trigger: {type: time, every: 7d}
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "base/config.h"
#include "base/time.h"

namespace tidemill::supervisor {

struct AmountTrigger {
  static constexpr std::string_view kType = "amount";
  static constexpr std::string_view kDoc = "Fires after every so many new samples.";
  int64_t samples = 1000;

  void Fields(auto&& field) {
    field("samples", samples, "New samples between two triggers.",
          {.min = 1, .required = true, .example = "2000"});
  }
};

struct TimeTrigger {
  static constexpr std::string_view kType = "time";
  static constexpr std::string_view kDoc =
      "Fires each time the stream has advanced by so much, counted from its first sample; a period "
      "without samples does not fire.";
  Duration every{86'400'000'000};

  void Fields(auto&& field) {
    field("every", every, "Length of a period in event time.", {.required = true, .example = "7d"});
  }
  void Check(config::Problems& problems) const {
    if (every.micros <= 0) problems.Add("every", "is not positive", "write a length such as 7d");
  }
};

// A new policy is one line here and one file beside this one.
using TriggerSpec = std::variant<AmountTrigger, TimeTrigger>;

}  // namespace tidemill::supervisor
