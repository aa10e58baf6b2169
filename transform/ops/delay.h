// delay: lets time pass, to try out how a pipeline behaves.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

enum class DelayPer { kBatch, kSample };

struct DelaySpec {
  static constexpr std::string_view kType = "delay";
  static constexpr std::string_view kDoc =
      "Waits, without using a processor, and changes nothing: for trying out how a pipeline "
      "behaves with ops that are slow or now and then slow. Which samples wait depends on the "
      "training's seed and on the sample's ordinal alone, so that it is the same in every epoch "
      "and run. It waits in the fit as well.";
  static constexpr bool kIsRandom = false;
  int64_t milliseconds = 0;
  double share = 1;
  DelayPer per = DelayPer::kBatch;
  bool autocache = false;

  void Fields(auto&& field) {
    field("milliseconds", milliseconds,
          "How long to wait each time. What one batch waits in all is cut at a minute.",
          config::Limits{.min = 0, .max = 60000, .required = true, .example = "20"});
    field("share", share,
          "Share of the samples or batches that wait. Samples without ordinals wait when it is 1.",
          config::Limits{.min = 0, .max = 1});
    field("per", per,
          "`batch`: once for a batch whose first sample is among those that wait. `sample`: once "
          "for every sample that is.");
    field("autocache", autocache, kAutocacheDoc);
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const DelaySpec&, const DelaySpec&) = default;
};

// Returns how many milliseconds a delay makes a frame wait. `op_index` is the place of the op in
// its graph. Bad samples do not wait.
int64_t MillisecondsOf(const DelaySpec& spec, int op_index, const Frame& frame);

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::DelayPer> {
  using Type = tidemill::transform::DelayPer;
  static constexpr std::pair<Type, std::string_view> kNames[] = {{Type::kBatch, "batch"},
                                                                 {Type::kSample, "sample"}};
};
