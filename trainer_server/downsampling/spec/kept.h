// How many samples are kept, and from which trigger on. Most methods share these settings.
#pragma once

#include <concepts>
#include <cstdint>

#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"

namespace tidemill::trainer_server {

struct Kept {
  double fraction = 0.1;
  int64_t warmup_triggers = 0;

  void Fields(auto&& field) {
    field(
        "fraction", fraction,
        "Share of the samples that an epoch trains on. It is rounded down, to at least one sample.",
        {.min = 1e-6, .max = 1, .required = true, .example = "0.1"});
    field("warmup_triggers", warmup_triggers,
          "This many triggers at the beginning train on everything.", {.min = 0});
  }
  friend bool operator==(const Kept&, const Kept&) = default;
};

template <typename Spec>
concept KeptSpec = std::derived_from<Spec, Kept>;

template <KeptSpec Spec>
class KeptDownsampling : public DownsamplingBase<Spec> {
 protected:
  int64_t WarmupTriggers() const override { return this->spec_.warmup_triggers; }
};

template <KeptSpec Spec>
class DownsamplingOf<Spec> final : public KeptDownsampling<Spec> {};

}  // namespace tidemill::trainer_server
