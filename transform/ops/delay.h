// delay: waits, to test how a pipeline behaves.
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
      "Waits without using a processor, and changes nothing. Use it to try out how a pipeline "
      "behaves with ops that are always or sometimes slow. Which samples wait depends only on the "
      "training's seed and on the sample's ordinal, so it is the same in every epoch and run. The "
      "op also waits in the fit.";
  static constexpr bool kIsRandom = false;
  int64_t milliseconds = 0;
  double share = 1;
  DelayPer per = DelayPer::kBatch;

  void Fields(auto&& field) {
    field("milliseconds", milliseconds,
          "How long to wait each time. One batch waits for at most a minute in total.",
          config::Limits{.min = 0, .max = 60000, .required = true, .example = "20"});
    field(
        "share", share,
        "Share of the samples or batches that wait. Samples without ordinals wait only if it is 1.",
        config::Limits{.min = 0, .max = 1});
    field("per", per,
          "`batch`: wait once for a batch if its first sample is one that waits. `sample`: wait "
          "once for each sample that waits.");
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
