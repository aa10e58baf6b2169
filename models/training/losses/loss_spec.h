// The `loss` of a training: what a network is trained to make small. A loss as its spec says it,
// and all that the platform asks of one.
//
//   loss: cross_entropy
//   loss: {type: huber, delta: 2}
//
// To add a loss: a header beside this one with its spec, which says what LossOf in loss_spec.cc
// asks of it, and with the declarations of its LossesOf() and GradientsOf(); these two in
// models/losses/<name>.cc; and its two lines in losses.h. Whoever reads specs does not link torch.
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
  // Every loss there is.
  static std::span<const config::Alternative<Loss>> Alternatives();

  // Of a loss that compares classes: how outputs become their probabilities. std::nullopt for one
  // that compares real numbers.
  virtual std::optional<ClassOutputs> OfClasses() const = 0;
  bool IsOfClasses() const { return OfClasses().has_value(); }

  // What of its settings does not fit so many outputs; its path begins at the loss's own section.
  virtual std::optional<config::Remark> FindOutputsProblem(int64_t outputs) const = 0;

  // Whether a loss of the same type has the same settings.
  virtual bool Equals(const Loss& other) const = 0;
};

using LossSpec = config::Choice<Loss>;

}  // namespace tidemill::models

// Each loss declares, for outputs [n, k] and targets as models/loss.h says,
//   at::Tensor LossesOf(const Mse& spec, const at::Tensor& output, const at::Tensor& target);
// the loss of each sample, [n], and
//   at::Tensor GradientsOf(const Mse& spec, const at::Tensor& output, const at::Tensor& target);
// its derivative by each output, [n, k]. Both throw c10::Error.
namespace at {
class Tensor;
}  // namespace at

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::LossSpec);
