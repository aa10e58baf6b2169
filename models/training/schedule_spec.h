// How the learning rate changes in the course of a training: factors of the optimisers' lr.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "config/config.h"

namespace tidemill::models {

// A length in optimiser steps, or as a share of the training.
struct ScheduleLength {
  std::optional<int64_t> steps = std::nullopt;
  std::optional<double> share = std::nullopt;

  void FieldsOf(auto&& field) {
    field("steps", steps, "Length in steps of the optimiser; or give a share.", {.min = 1});
    field("share", share, "Length as a share of the training, or of what a warm-up leaves of it.",
          {.min = 0, .max = 1});
  }
  void CheckLength(config::Problems& problems, bool is_required) const {
    if (steps && share) problems.Add("share", "and steps exclude each other", "leave one out");
    if (is_required && !steps && !share) {
      problems.Add("", "needs a length", "write steps: 1000 or share: 0.1");
    }
  }
  friend bool operator==(const ScheduleLength&, const ScheduleLength&) = default;
};

struct Constant {
  static constexpr std::string_view kType = "constant";
  static constexpr std::string_view kDoc = "The learning rate stays.";

  void Fields(auto&&) {}
  friend bool operator==(const Constant&, const Constant&) = default;
};

struct StepDecay : ScheduleLength {
  static constexpr std::string_view kType = "step";
  static constexpr std::string_view kDoc = "Multiplies the learning rate again and again.";
  double factor = 0.1;

  void Fields(auto&& field) {
    FieldsOf(field);
    field("factor", factor, "What to multiply by after each length.", {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const { CheckLength(problems, true); }
  friend bool operator==(const StepDecay&, const StepDecay&) = default;
};

struct Cosine : ScheduleLength {
  static constexpr std::string_view kType = "cosine";
  static constexpr std::string_view kDoc =
      "Falls along half a cosine (Loshchilov and Hutter, 2017), by default to the end of the "
      "training.";
  double final = 0;

  void Fields(auto&& field) {
    FieldsOf(field);
    field("final", final, "Factor at its end and behind it.", {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const { CheckLength(problems, false); }
  friend bool operator==(const Cosine&, const Cosine&) = default;
};

struct Polynomial : ScheduleLength {
  static constexpr std::string_view kType = "polynomial";
  static constexpr std::string_view kDoc =
      "Falls as (1 - progress)^power, by default to the end of the training; linearly with power "
      "1.";
  double power = 1;
  double final = 0;

  void Fields(auto&& field) {
    FieldsOf(field);
    field("power", power, "The power.", {.min = 0.01, .max = 100});
    field("final", final, "Factor at its end and behind it.", {.min = 0, .max = 1});
  }
  void Check(config::Problems& problems) const { CheckLength(problems, false); }
  friend bool operator==(const Polynomial&, const Polynomial&) = default;
};

using ScheduleAfterWarmup = std::variant<Constant, StepDecay, Cosine, Polynomial>;

struct Warmup : ScheduleLength {
  static constexpr std::string_view kType = "warmup";
  static constexpr std::string_view kDoc =
      "Rises linearly to the whole learning rate, then follows another schedule.";
  double initial = 0;
  ScheduleAfterWarmup then = Constant{};

  void Fields(auto&& field) {
    FieldsOf(field);
    field("initial", initial, "Factor before the first step.", {.min = 0, .max = 1});
    field("then", then, "What follows; its lengths count from the end of the rise.");
  }
  void Check(config::Problems& problems) const { CheckLength(problems, true); }
  friend bool operator==(const Warmup&, const Warmup&) = default;
};

// A new schedule is one struct here and its formula in schedule.cc.
using ScheduleSpec = std::variant<Constant, StepDecay, Cosine, Polynomial, Warmup>;

// The factor of the learning rate for step `step`, from 0, of a training of `total` steps. A pure
// function, so a resumed training goes on with the right rate. With p = min(1, step / length):
// step decay factor^floor(step / length), cosine final + (1 - final) * (1 + cos(pi * p)) / 2,
// polynomial final + (1 - final) * (1 - p)^power. A rise of w steps gives
// initial + (1 - initial) * (step + 1) / w and is over at step w, from where the rest counts.
double LearningRateFactor(const ScheduleSpec& spec, int64_t step, int64_t total);

}  // namespace tidemill::models
