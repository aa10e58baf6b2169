// The `optimizer` of a training: how weights follow gradients. An OptimizerKind is an optimiser as
// its spec defines it, with all functions that the platform needs.
//
//   optimizer: {type: sgd, lr: 0.1, momentum: 0.9}
//   optimizers: [{modules: "embedding*", optimizer: adagrad}, {modules: "*", optimizer: adam}]
//
// To add an optimiser, write a header beside this one with its spec and the declaration of its
// MakeOptimizerModule(), that function in models/optimizers/<name>.cc, and its two lines in
// optimizers.h. The spec has an `lr`, and defines what OptimizerKindOf in optimizer_spec.cc needs.
// A program that only reads specs does not link torch.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/choice.h"
#include "config/config.h"

namespace tidemill::models {

inline constexpr std::string_view kDecayDoc = "L2 penalty on the weights.";

// How weights follow gradients, with settings. Thread-compatible.
class OptimizerKind : public config::Part<OptimizerKind> {
 public:
  // Lists every optimiser.
  static std::span<const config::Alternative<OptimizerKind>> Alternatives();

  // Returns the learning rate, which a schedule multiplies by a factor.
  virtual double LearningRate() const = 0;

  virtual bool TakesSparseGradients() const = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const OptimizerKind& other) const = 0;
};

using OptimizerSpec = config::Choice<OptimizerKind>;

// Returns the optimiser of a training that names none.
OptimizerSpec DefaultOptimizer();

// The part that needs libtorch, in models/optimizer_module.h. Each optimiser declares
//   std::unique_ptr<OptimizerModule> MakeOptimizerModule(const Sgd& spec);
class OptimizerModule;

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::OptimizerSpec);
