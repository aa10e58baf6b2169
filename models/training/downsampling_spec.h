// The `downsampling` of a `training` section: on which of its samples a training spends its time. A
// method as its spec says it, and all that the platform asks of one.
//
//   downsampling: {type: margin, fraction: 0.1}
//   downsampling: {type: loss, fraction: 0.25, when: batch_then_sample}
//   downsampling: {type: schedule, steps: [{triggers: 2, use: none}, {use: {type: rs2, fraction:
//   0.1}}]}
//
// The methods stand in trainer_server/downsampling/methods/, each in a header and a source of its
// name; method_list.h there lists them, and method_spec.h says what one is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "config/choice.h"
#include "config/config.h"
#include "models/spec/model_spec.h"
#include "models/training/training_problem.h"

namespace tidemill::models {

class Downsampling;
using DownsamplingSpec = config::Choice<Downsampling>;

// Another model, whose losses on samples that it was not trained on a method compares with.
struct AuxiliaryModel {
  std::optional<ModelSpec> model = std::nullopt;  // By default one like that which is trained.
  int64_t epochs = 1;
  // Share of the samples that it is trained on, and that the training leaves out.
  double holdout = 0.1;
  // Instead, two models on halves, each asked about the other one's.
  bool twin = false;
};

// What a method's settings are held against.
struct TrainedWith {
  int64_t outputs = 0;  // Of the model.
  bool loss_is_of_classes = false;
  bool label_is_class = false;
  int64_t batch_size = 0;
};

// What the reference says of a method beside its keys.
struct DownsamplingText {
  std::string_view rule;     // What it chooses.
  std::string_view weights;  // Of the chosen samples.
  std::string_view cost;     // Of time and memory.
  std::string_view source;   // Where it comes from; may be empty.
};

// A downsampling method and its settings. Thread-compatible.
class Downsampling : public config::Part<Downsampling> {
 public:
  // Every method there is.
  static std::span<const config::Alternative<Downsampling>> Alternatives();

  // The method that serves a trigger, from 1: what a schedule says, none while it warms up.
  virtual DownsamplingSpec MethodAt(int64_t trigger) const = 0;

  // The methods that serve some trigger: those of a schedule's steps, of any other itself. They
  // live as long as this one.
  virtual std::vector<const Downsampling*> Methods() const = 0;

  // Whether this is the method that leaves nothing out.
  virtual bool IsNone() const = 0;

  virtual std::optional<AuxiliaryModel> Auxiliary() const = 0;

  // Notes what it asks for that the training does not give; paths begin at its own section. Asks
  // not the steps of a schedule.
  virtual void CheckTraining(const TrainedWith& with, TrainingProblems& problems) const = 0;

  virtual DownsamplingText Text() const = 0;

  // Whether a method of the same type has the same settings.
  virtual bool Equals(const Downsampling& other) const = 0;
};

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::DownsamplingSpec);
