#include "transform/ops/delay.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "fmt/format.h"

#include "base/numbers/random.h"
#include "config/documents/problems.h"

namespace tidemill::transform {
namespace {

constexpr int64_t kMaxMilliseconds = 60'000;

class DelayOp final : public Op {
 public:
  DelayOp(DelaySpec spec, int op_index) : spec_(spec), op_index_(op_index) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    const int64_t wait = MillisecondsOf(spec_, op_index_, frame);
    if (wait > 0) std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    return absl::OkStatus();
  }

  OpEffect EffectOn(const KnownNumbers& /*numbers*/) const override {
    return {.obstacle = "which waits for the samples that it receives"};
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph&) const override {
    return absl::OkStatus();
  }

 private:
  const DelaySpec spec_;
  const int op_index_;
};

}  // namespace

int64_t MillisecondsOf(const DelaySpec& spec, int op_index, const Frame& frame) {
  const std::string purpose = fmt::format("delay {}", op_index);
  const RandomKey key{.seed = frame.context().seed, .purpose = purpose};
  const batch::Column* const ordinals = frame.samples().Find(batch::kOrdinalColumn);
  const auto waits = [&](int64_t row) {
    if (spec.share >= 1) return true;
    return ordinals != nullptr && RandomUnit(key, ordinals->Values<int64_t>()[row]) < spec.share;
  };
  int64_t count = 0;
  for (int64_t row = 0; row < frame.num_rows(); ++row) {
    if (frame.IsBad(row)) continue;
    if (waits(row)) ++count;
    if (spec.per == DelayPer::kBatch) break;
  }
  return std::min(count * spec.milliseconds, kMaxMilliseconds);
}

void DelaySpec::Check(config::Problems& problems) const {
  if (std::isnan(share)) problems.Add("share", "is not a number", "");
}

std::unique_ptr<Op> DelaySpec::Build(OpBuilder& builder) const {
  return std::make_unique<DelayOp>(*this, builder.op_index());
}

}  // namespace tidemill::transform
