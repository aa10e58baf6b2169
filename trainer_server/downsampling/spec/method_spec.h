// The parts of the header of a downsampling method. Programs that train nothing, and link none of
// the libraries for choosing, include it. Therefore everything that describes a spec is in the
// header.
//
//   struct Newest : Kept {
//     static constexpr std::string_view kType, kDoc, kRule, kWeights, kCost, kSource;
//     void Fields(auto&& field) { ... }
//     friend bool operator==(const Newest&, const Newest&) = default;
//   };
//   // In methods/newest.cc. A BlindMethod looks at no sample, a JudgingMethod at what the network
//   says about
//   // each, a LossMethod at the losses that the training has seen; see method.h.
//   std::unique_ptr<const BlindMethod> MakeMethod(const Newest& spec);
//
// Where a default of models::Downsampling or of DownsamplingBase does not fit, the header
// specialises DownsamplingOf for the spec and overrides it: CheckTraining() for a method that needs
// something that a training may not provide, Auxiliary() for one that trains another model first,
// WarmupTriggers() for one that can warm up, MethodAt() and Methods() for one that delegates to
// other methods, TakeFiles() and RunsWith() for one that names files. kept.h, scored.h and
// gradient_coreset.h have the settings that specs share.
#pragma once

#include <cstdint>

#include "config/choice.h"
#include "config/choosing_part.h"
#include "models/training/downsampling_spec.h"

namespace tidemill::trainer_server {

class BlindMethod;
class JudgingMethod;
class LossMethod;

// The method that leaves nothing out. It replaces a method that warms up.
models::DownsamplingSpec NothingLeftOut();

template <typename Spec>
class DownsamplingOf;

// The members that every spec has.
template <typename Spec>
class DownsamplingBase : public config::PartOf<DownsamplingOf<Spec>, models::Downsampling, Spec> {
 public:
  models::DownsamplingSpec MethodAt(int64_t trigger) const override {
    if (trigger <= WarmupTriggers()) return NothingLeftOut();
    return this->spec_;
  }
  config::ChoosingText Text() const override {
    return {.rule = Spec::kRule,
            .weights = Spec::kWeights,
            .cost = Spec::kCost,
            .source = Spec::kSource};
  }
  bool Equals(const models::Downsampling& other) const override {
    return this->spec_ == static_cast<const DownsamplingBase&>(other).spec_;
  }

 protected:
  // The number of first triggers that leave nothing out.
  virtual int64_t WarmupTriggers() const { return 0; }
};

// The method of a spec, with the defaults.
template <typename Spec>
class DownsamplingOf final : public DownsamplingBase<Spec> {};

}  // namespace tidemill::trainer_server
