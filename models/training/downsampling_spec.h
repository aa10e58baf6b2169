// The `downsampling` of a `training` section: the samples on which a training spends its time. A
// Downsampling is a method as its spec defines it, with all functions that the platform needs.
//
//   downsampling: {type: margin, fraction: 0.1}
//   downsampling: {type: loss, fraction: 0.25, when: batch_then_sample}
//   downsampling: {type: schedule, steps: [{triggers: 2, use: none}, {use: {type: rs2, fraction:
//   0.1}}]}
//
// The methods are in trainer_server/downsampling/, each with a header in spec/ and a source in
// methods/. method_list.h lists them. method_spec.h describes the parts of a method.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/choice.h"
#include "config/choosing_part.h"
#include "config/config.h"
#include "config/named_files.h"
#include "models/spec/model_spec.h"
#include "models/training/training_problem.h"

namespace tidemill::models {

class Downsampling;
using DownsamplingSpec = config::Choice<Downsampling>;

// A second model, whose losses a method compares with those of the trained model. They are its
// losses on samples that it was not trained on.
struct AuxiliaryModel {
  std::optional<ModelSpec> model = std::nullopt;  // By default, one like the trained model.
  int64_t epochs = 1;
  // The share of the samples on which it is trained, and which the training leaves out.
  double holdout = 0.1;
  // Instead, trains one model on each half. Each model gives the losses of the other half.
  bool twin = false;
};

// The training against which a method's settings are checked.
struct TrainedWith {
  int64_t outputs = 0;  // The outputs of the model.
  bool loss_is_of_classes = false;
  bool label_is_class = false;
  int64_t batch_size = 0;
};

// A downsampling method and its settings. Thread-compatible.
class Downsampling : public config::PartWithFiles<Downsampling> {
 public:
  // Lists every method.
  static std::span<const config::Alternative<Downsampling>> Alternatives();

  // Returns the method that serves a trigger; triggers count from 1. For a schedule, it is the
  // method of the step. During a warm-up, it is `none`.
  virtual DownsamplingSpec MethodAt(int64_t trigger) const = 0;

  // Returns the methods that serve some trigger: the methods of a schedule's steps, or this method
  // itself. They live as long as this one.
  virtual std::vector<const Downsampling*> Methods() const { return {this}; }

  // Whether this method leaves out no sample.
  virtual bool IsNone() const { return false; }

  // Returns the model that it trains first; std::nullopt for most methods.
  virtual std::optional<AuxiliaryModel> Auxiliary() const { return std::nullopt; }

  // Adds a problem for everything that the method needs and the training does not provide. Paths
  // begin at the method's own section. The steps of a schedule are not checked.
  virtual void CheckTraining(const TrainedWith& /*with*/, TrainingProblems& /*problems*/) const {}

  virtual config::ChoosingText Text() const = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Downsampling& other) const = 0;
};

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::DownsamplingSpec);
