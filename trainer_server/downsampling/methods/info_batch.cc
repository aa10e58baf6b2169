#include "trainer_server/downsampling/spec/info_batch.h"

#include "subsets/info_batch.h"
#include "trainer_server/downsampling/methods/method.h"

namespace tidemill::trainer_server {
namespace {

class LeavingOutWellLearnt final : public LossMethod {
 public:
  explicit LeavingOutWellLearnt(const InfoBatch& spec) : spec_(spec) {}

  std::optional<subsets::Choice> Choose(std::span<const float> losses, int64_t epoch,
                                        int64_t num_epochs,
                                        const RandomKey& random) const override {
    const double until = spec_.until * static_cast<double>(num_epochs);
    if (static_cast<double>(epoch) >= until) return std::nullopt;
    return subsets::LeaveOutWellLearnt(losses, spec_.prune, random);
  }

 private:
  const InfoBatch spec_;
};

}  // namespace

std::unique_ptr<const LossMethod> MakeMethod(const InfoBatch& spec) {
  return std::make_unique<LeavingOutWellLearnt>(spec);
}

}  // namespace tidemill::trainer_server
