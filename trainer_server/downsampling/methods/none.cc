#include "trainer_server/downsampling/spec/none.h"

#include "trainer_server/downsampling/methods/method.h"

namespace tidemill::trainer_server {
namespace {

class Everything final : public BlindMethod {
 public:
  BlindChoice Choose(int64_t num_samples, const RandomKey& /*random*/) const override {
    return {.num_samples = num_samples};
  }
};

}  // namespace

std::unique_ptr<const BlindMethod> MakeMethod(const NoDownsampling& /*spec*/) {
  return std::make_unique<Everything>();
}

}  // namespace tidemill::trainer_server
