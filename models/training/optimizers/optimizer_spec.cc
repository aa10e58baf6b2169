#include "models/training/optimizers/optimizer_spec.h"

#include "models/training/optimizers/optimizers.h"

namespace tidemill::models {
namespace {

// An optimiser by what its spec says: lr and TakesSparseGradients().
template <typename Spec>
class UpdateRuleOf final : public config::PartOf<UpdateRuleOf<Spec>, UpdateRule, Spec> {
 public:
  double LearningRate() const override { return spec_.lr; }
  bool TakesSparseGradients() const override { return spec_.TakesSparseGradients(); }
  bool Equals(const UpdateRule& other) const override {
    return spec_ == static_cast<const UpdateRuleOf&>(other).spec_;
  }

 private:
  using config::PartOf<UpdateRuleOf<Spec>, UpdateRule, Spec>::spec_;
};

}  // namespace

std::span<const config::Alternative<UpdateRule>> UpdateRule::Alternatives() {
  return config::Alternatives<UpdateRule, UpdateRuleOf>(Optimizers());
}

OptimizerSpec DefaultOptimizer() { return Adam{}; }

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::OptimizerSpec);
