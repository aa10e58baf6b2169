#include "trainer_server/downsampling/methods/method_list.h"

namespace tidemill::trainer_server {
namespace {

using models::Downsampling;
using models::DownsamplingSpec;

// A method by its spec, as method_spec.h says.
template <typename Spec>
class DownsamplingOf final : public config::PartOf<DownsamplingOf<Spec>, Downsampling, Spec> {
 public:
  DownsamplingSpec MethodAt([[maybe_unused]] int64_t trigger) const override {
    if constexpr (requires { spec_.MethodAt(trigger); }) {
      return spec_.MethodAt(trigger);
    } else if constexpr (requires { spec_.warmup_triggers; }) {
      if (trigger <= spec_.warmup_triggers) return NoDownsampling{};
    }
    return spec_;
  }
  std::vector<const Downsampling*> Methods() const override {
    if constexpr (requires { spec_.Methods(); }) {
      return spec_.Methods();
    } else {
      return {this};
    }
  }
  bool IsNone() const override {
    if constexpr (requires { Spec::kIsNone; }) {
      return Spec::kIsNone;
    } else {
      return false;
    }
  }
  std::optional<models::AuxiliaryModel> Auxiliary() const override {
    if constexpr (requires { spec_.Auxiliary(); }) {
      return spec_.Auxiliary();
    } else {
      return std::nullopt;
    }
  }
  void CheckTraining([[maybe_unused]] const models::TrainedWith& with,
                     [[maybe_unused]] models::TrainingProblems& problems) const override {
    if constexpr (requires { spec_.CheckTraining(with, problems); }) {
      spec_.CheckTraining(with, problems);
    }
  }
  void TakeFiles([[maybe_unused]] config::NamedFiles& files,
                 [[maybe_unused]] config::Problems& problems) override {
    if constexpr (requires { spec_.TakeFiles(files, problems); }) spec_.TakeFiles(files, problems);
  }
  std::string RunsWith() const override {
    if constexpr (requires { spec_.RunsWith(); }) {
      return spec_.RunsWith();
    } else {
      return "";
    }
  }
  models::DownsamplingText Text() const override {
    models::DownsamplingText text = {
        .rule = Spec::kRule, .weights = Spec::kWeights, .cost = Spec::kCost, .source = {}};
    if constexpr (requires { Spec::kSource; }) text.source = Spec::kSource;
    return text;
  }
  bool Equals(const Downsampling& other) const override {
    return spec_ == static_cast<const DownsamplingOf&>(other).spec_;
  }

 private:
  using config::PartOf<DownsamplingOf<Spec>, Downsampling, Spec>::spec_;
};

}  // namespace
}  // namespace tidemill::trainer_server

namespace tidemill::models {

std::span<const config::Alternative<Downsampling>> Downsampling::Alternatives() {
  return config::Alternatives<Downsampling, trainer_server::DownsamplingOf>(
      trainer_server::Methods());
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::DownsamplingSpec);
