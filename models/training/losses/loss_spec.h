// The `loss` of a training: the function that a training minimises. A Loss is a loss as its spec
// defines it, with all functions that the platform needs.
//
//   loss: cross_entropy
//   loss: {type: huber, delta: 2}
//
// To add a loss, write a header beside this one with its spec and the declarations of its
// LossesOf() and GradientsOf(), these two functions in models/losses/<name>.cc, and its two lines
// in losses.h. The spec has kClassOutputs, which OfClasses() returns. To replace a default,
// specialise LossOf for the spec and override the function there. A program that only reads specs
// does not link torch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

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

  // Returns the setting that does not fit this number of outputs. The path begins at the loss's own
  // section.
  virtual std::optional<config::Remark> FindOutputsProblem(int64_t /*outputs*/) const {
    return std::nullopt;
  }

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Loss& other) const = 0;
};

using LossSpec = config::Choice<Loss>;

// Returns the first loss on the list that reads outputs in this way, with its defaults;
// std::nullopt for real numbers.
LossSpec PlainLossOf(std::optional<ClassOutputs> of_classes);

template <typename Spec>
class LossOf;

// The part that all specs share.
template <typename Spec>
class LossBase : public config::PartOf<LossOf<Spec>, Loss, Spec> {
 public:
  std::optional<ClassOutputs> OfClasses() const override { return Spec::kClassOutputs; }
  bool Equals(const Loss& other) const override {
    return this->spec_ == static_cast<const LossBase&>(other).spec_;
  }
};

// Returns why the list of weights `name` does not fit this number of classes. An empty list does.
std::optional<config::Remark> FindWeightsProblem(std::string_view name,
                                                 const std::vector<double>& weights,
                                                 int64_t outputs);

// The loss of a spec, with the defaults.
template <typename Spec>
class LossOf final : public LossBase<Spec> {};

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
