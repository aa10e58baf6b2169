#include "models/training/losses/loss_spec.h"

#include "models/training/losses/losses.h"

namespace tidemill::models {
namespace {

// A loss by what its spec says: kClassOutputs, and FindOutputsProblem() where settings depend
// on the outputs.
template <typename Spec>
class LossOf final : public config::PartOf<LossOf<Spec>, Loss, Spec> {
 public:
  std::optional<ClassOutputs> OfClasses() const override { return Spec::kClassOutputs; }
  std::optional<config::Remark> FindOutputsProblem(int64_t outputs) const override {
    if constexpr (requires { spec_.FindOutputsProblem(outputs); }) {
      return spec_.FindOutputsProblem(outputs);
    } else {
      return std::nullopt;
    }
  }
  bool Equals(const Loss& other) const override {
    return spec_ == static_cast<const LossOf&>(other).spec_;
  }

 private:
  using config::PartOf<LossOf<Spec>, Loss, Spec>::spec_;
};

}  // namespace

std::span<const config::Alternative<Loss>> Loss::Alternatives() {
  return config::Alternatives<Loss, LossOf>(Losses());
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::LossSpec);
