// The `loss` of a training: what a network is trained to minimise. A Loss is a loss as its spec
// defines it, with all that the platform asks of a loss.
//
//   loss: cross_entropy
//   loss: {type: huber, delta: 2}
//
// To add a loss, write a header beside this one with its spec and the declarations of its
// LossesOf() and GradientsOf(), these two functions in models/losses/<name>.cc, and its two lines
// in losses.h. The spec defines what LossOf in loss_spec.cc asks for. A program that only reads
// specs does not link torch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "config/choice.h"
#include "config/config.h"
#include "config/remark.h"
#include "models/spec/class_outputs.h"

namespace tidemill::models {

// A loss and its settings. Thread-compatible.
class Loss : public config::Part<Loss> {
 public:
  // Lists every loss.
  static std::span<const config::Alternative<Loss>> Alternatives();

  // Returns how outputs become probabilities of classes. std::nullopt for a loss that compares real
  // numbers.
  virtual std::optional<ClassOutputs> OfClasses() const = 0;
  bool IsOfClasses() const { return OfClasses().has_value(); }

  // Returns which of its settings does not fit this number of outputs. The path begins at the
  // loss's own section.
  virtual std::optional<config::Remark> FindOutputsProblem(int64_t outputs) const = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Loss& other) const = 0;
};

using LossSpec = config::Choice<Loss>;

}  // namespace tidemill::models

// For outputs [n, k] and targets as in models/loss.h, each loss declares
//   at::Tensor LossesOf(const Mse& spec, const at::Tensor& output, const at::Tensor& target);
// which returns the loss of each sample, [n], and
//   at::Tensor GradientsOf(const Mse& spec, const at::Tensor& output, const at::Tensor& target);
// which returns its derivative by each output, [n, k]. Both throw c10::Error.
namespace at {
class Tensor;
}  // namespace at

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::LossSpec);
