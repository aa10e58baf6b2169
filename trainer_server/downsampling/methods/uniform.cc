#include "trainer_server/downsampling/spec/uniform.h"

#include <utility>

#include "subsets/sampling.h"
#include "trainer_server/downsampling/methods/method.h"

namespace tidemill::trainer_server {
namespace {

class OneDraw final : public BlindMethod {
 public:
  explicit OneDraw(const UniformSubset& spec) : spec_(spec) {}

  BlindChoice Choose(int64_t num_samples, const RandomKey& random) const override {
    const int64_t kept = NumKept(spec_.fraction, num_samples);
    loader::Subset subset{.ordinals = subsets::DrawUniformly(num_samples, kept, random)};
    return {.num_samples = kept, .subset = std::move(subset)};
  }

 private:
  const UniformSubset spec_;
};

}  // namespace

std::unique_ptr<const BlindMethod> MakeMethod(const UniformSubset& spec) {
  return std::make_unique<OneDraw>(spec);
}

}  // namespace tidemill::trainer_server
