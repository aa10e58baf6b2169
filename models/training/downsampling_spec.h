// The `downsampling` of a `training` section: on which of its samples a training spends its time. A
// Downsampling is a method as its spec defines it, with all that the platform asks of a method.
//
//   downsampling: {type: margin, fraction: 0.1}
//   downsampling: {type: loss, fraction: 0.25, when: batch_then_sample}
//   downsampling: {type: schedule, steps: [{triggers: 2, use: none}, {use: {type: rs2, fraction:
//   0.1}}]}
//
// The methods are in trainer_server/downsampling/methods/, each in a header and a source of its
// name. method_list.h lists them there. method_spec.h says what a method consists of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/choice.h"
#include "config/config.h"
#include "config/named_files.h"
#include "models/spec/model_spec.h"
#include "models/training/training_problem.h"

namespace tidemill::models {

class Downsampling;
using DownsamplingSpec = config::Choice<Downsampling>;

// Another model, with whose losses a method compares. The losses are those on samples that the
// other model was not trained on.
struct AuxiliaryModel {
  std::optional<ModelSpec> model = std::nullopt;  // By default, one like the trained model.
  int64_t epochs = 1;
  // The share of the samples that it is trained on, and that the training leaves out.
  double holdout = 0.1;
  // Instead, trains two models on halves. Each gives the losses of the other half.
  bool twin = false;
};

// What a method's settings are checked against.
struct TrainedWith {
  int64_t outputs = 0;  // The outputs of the model.
  bool loss_is_of_classes = false;
  bool label_is_class = false;
  int64_t batch_size = 0;
};

// What the reference says about a method, besides its keys.
struct DownsamplingText {
  std::string_view rule;     // What the method chooses.
  std::string_view weights;  // The weights of the chosen samples.
  std::string_view cost;     // The cost in time and memory.
  std::string_view source;   // The source of the algorithm; may be empty.
};

// A downsampling method and its settings. Thread-compatible.
class Downsampling : public config::Part<Downsampling> {
 public:
  // Lists every method.
  static std::span<const config::Alternative<Downsampling>> Alternatives();

  // Returns the method that serves a trigger; triggers count from 1. For a schedule, it is the
  // method of the step. During a warm-up, it is `none`.
  virtual DownsamplingSpec MethodAt(int64_t trigger) const = 0;

  // Returns the methods that serve some trigger: the methods of a schedule's steps, or this method
  // itself. They live as long as this one.
  virtual std::vector<const Downsampling*> Methods() const = 0;

  // Whether this method leaves nothing out.
  virtual bool IsNone() const = 0;

  virtual std::optional<AuxiliaryModel> Auxiliary() const = 0;

  // Notes a problem for everything that the method needs and the training does not provide. Paths
  // begin at the method's own section. The steps of a schedule are not asked.
  virtual void CheckTraining(const TrainedWith& with, TrainingProblems& problems) const = 0;

  // Takes in what is in the files that the method names; see transform/engine/op_spec.h. Notes
  // problems at its own keys. A schedule does so for its steps.
  virtual void TakeFiles(config::NamedFiles& files, config::Problems& problems) = 0;

  // What it runs with that is not of this program: a plug-in, its versions and its sandbox. Empty
  // for other methods, and for a schedule.
  virtual std::string RunsWith() const = 0;

  virtual DownsamplingText Text() const = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Downsampling& other) const = 0;
};

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::DownsamplingSpec);
