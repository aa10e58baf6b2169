#include "models/training/optimizers/optimizer_spec.h"

#include "models/training/optimizers/optimizers.h"

namespace tidemill::models {
namespace {

// An optimiser by what its spec says: lr and TakesSparseGradients().
template <typename Spec>
class OptimizerKindOf final : public config::PartOf<OptimizerKindOf<Spec>, OptimizerKind, Spec> {
 public:
  double LearningRate() const override { return spec_.lr; }
  bool TakesSparseGradients() const override { return spec_.TakesSparseGradients(); }
  bool Equals(const OptimizerKind& other) const override {
    return spec_ == static_cast<const OptimizerKindOf&>(other).spec_;
  }

 private:
  using config::PartOf<OptimizerKindOf<Spec>, OptimizerKind, Spec>::spec_;
};

}  // namespace

std::span<const config::Alternative<OptimizerKind>> OptimizerKind::Alternatives() {
  return config::Alternatives<OptimizerKind, OptimizerKindOf>(Optimizers());
}

OptimizerSpec DefaultOptimizer() { return Adam{}; }

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::OptimizerSpec);
