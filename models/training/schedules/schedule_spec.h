// The `schedule` of a training: how the learning rate changes in its course. A schedule as its spec
// says it, and all that the platform asks of one.
//
//   schedule: cosine
//   schedule: {type: warmup, share: 0.1, then: {type: step, steps: 1000}}
//
// To add a schedule: a header beside this one with its spec, which has LearningRateFactor() (with a
// source where it is long), and its two lines in schedule_spec.cc.
#pragma once

#include <cstdint>
#include <span>

#include "config/choice.h"
#include "config/config.h"

namespace tidemill::models {

// A schedule and its settings. Thread-compatible.
class Schedule : public config::Part<Schedule> {
 public:
  // Every schedule there is.
  static std::span<const config::Alternative<Schedule>> Alternatives();

  // The factor of the optimisers' learning rates for step `step`, from 0, of a training of `total`
  // steps. A pure function, so a resumed training goes on with the right rate.
  virtual double LearningRateFactor(int64_t step, int64_t total) const = 0;

  // Whether a schedule of the same type has the same settings.
  virtual bool Equals(const Schedule& other) const = 0;
};

using ScheduleSpec = config::Choice<Schedule>;

// A schedule that may follow a warm-up, which is each but a warm-up. Thread-compatible.
class LaterSchedule : public config::Part<LaterSchedule> {
 public:
  static std::span<const config::Alternative<LaterSchedule>> Alternatives();

  // Of what the warm-up leaves of the training.
  virtual double LearningRateFactor(int64_t step, int64_t total) const = 0;

  virtual bool Equals(const LaterSchedule& other) const = 0;
};

using ScheduleAfterWarmup = config::Choice<LaterSchedule>;

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::ScheduleSpec);
