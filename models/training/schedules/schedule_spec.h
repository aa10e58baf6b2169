// The `schedule` of a training: how the learning rate changes. A Schedule is a schedule as its spec
// defines it, with all functions that the platform needs.
//
//   schedule: cosine
//   schedule: {type: warmup, share: 0.1, then: {type: step, steps: 1000}}
//
// To add a schedule, write a header beside this one with its spec, which has LearningRateFactor(),
// and its two lines in schedule_spec.cc. A long schedule has a source, too. One that depends on
// losses has Watched().
#pragma once

#include <cstdint>
#include <span>

#include "config/choice.h"
#include "config/config.h"

namespace tidemill::models {

struct Plateau;

// A schedule and its settings. Thread-compatible.
class Schedule : public config::Part<Schedule> {
 public:
  // Lists every schedule.
  static std::span<const config::Alternative<Schedule>> Alternatives();

  // Returns the factor of the optimisers' learning rates for step `step`, from 0, of a training of
  // `total` steps. It is a pure function, so that a resumed training continues with the right rate.
  virtual double LearningRateFactor(int64_t step, int64_t total) const = 0;

  // Returns the plateau whose factor multiplies this one; nullptr for a schedule that
  // only counts steps. It lives as long as this schedule.
  virtual const Plateau* Watched() const = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Schedule& other) const = 0;
};

using ScheduleSpec = config::Choice<Schedule>;

// A schedule that may follow a warm-up: every schedule except a warm-up. Thread-compatible.
class LaterSchedule : public config::Part<LaterSchedule> {
 public:
  static std::span<const config::Alternative<LaterSchedule>> Alternatives();

  // `step` and `total` count from the end of the warm-up.
  virtual double LearningRateFactor(int64_t step, int64_t total) const = 0;

  virtual const Plateau* Watched() const = 0;

  virtual bool Equals(const LaterSchedule& other) const = 0;
};

using ScheduleAfterWarmup = config::Choice<LaterSchedule>;

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::ScheduleSpec);
