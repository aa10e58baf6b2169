#include "trainer_server/downsampling/spec/rs2.h"

#include "trainer_server/downsampling/methods/method.h"

namespace tidemill::trainer_server {
namespace {

class RepeatedDraws final : public BlindMethod {
 public:
  explicit RepeatedDraws(const Rs2& spec) : spec_(spec) {}

  BlindChoice Choose(int64_t num_samples, const RandomKey& /*random*/) const override {
    BlindChoice choice{.num_samples = NumKept(spec_.fraction, num_samples)};
    if (choice.num_samples > 0) {
      choice.draw =
          loader::RepeatedDraw{.samples = choice.num_samples, .replacement = spec_.replacement};
    }
    return choice;
  }

 private:
  const Rs2 spec_;
};

}  // namespace

std::unique_ptr<const BlindMethod> MakeMethod(const Rs2& spec) {
  return std::make_unique<RepeatedDraws>(spec);
}

}  // namespace tidemill::trainer_server
