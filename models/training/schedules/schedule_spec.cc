#include "models/training/schedules/schedule_spec.h"

#include <utility>

#include "config/spec_list.h"
#include "models/training/schedules/constant.h"
#include "models/training/schedules/cycles.h"
#include "models/training/schedules/decays.h"
#include "models/training/schedules/plateau.h"
#include "models/training/schedules/warmup.h"

namespace tidemill::models {
namespace {

// A schedule, as one of either interface, by what its spec says: LearningRateFactor().
template <typename Interface>
struct As {
  template <typename Spec>
  class Part final : public config::PartOf<Part<Spec>, Interface, Spec> {
   public:
    double LearningRateFactor(int64_t step, int64_t total) const override {
      return this->spec_.LearningRateFactor(step, total);
    }
    auto Watched() const -> decltype(std::declval<const Interface&>().Watched()) override {
      if constexpr (requires { this->spec_.Watched(); }) return this->spec_.Watched();
      return nullptr;
    }
    bool Equals(const Interface& other) const override {
      return this->spec_ == static_cast<const Part&>(other).spec_;
    }
  };
};

using LaterSchedules =
    config::SpecList<Constant, StepDecay, Cosine, Polynomial, OneCycle, CosineRestarts, Plateau>;

template <typename... Specs>
std::span<const config::Alternative<Schedule>> WithWarmup(config::SpecList<Specs...> /*later*/) {
  return config::Alternatives<Schedule, As<Schedule>::Part>(config::SpecList<Specs..., Warmup>());
}

}  // namespace

std::span<const config::Alternative<LaterSchedule>> LaterSchedule::Alternatives() {
  return config::Alternatives<LaterSchedule, As<LaterSchedule>::Part>(LaterSchedules());
}

std::span<const config::Alternative<Schedule>> Schedule::Alternatives() {
  return WithWarmup(LaterSchedules());
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::ScheduleSpec);
