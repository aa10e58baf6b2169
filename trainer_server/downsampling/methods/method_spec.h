// What the header of a downsampling method consists of. Programs read it that train nothing, and
// that link none of the libraries for choosing. Therefore everything that a spec says about itself
// is in the header.
//
//   struct Newest : Kept {
//     static constexpr std::string_view kType, kDoc, kRule, kWeights, kCost;  // kSource: may be.
//     void Fields(auto&& field) { ... }
//     friend bool operator==(const Newest&, const Newest&) = default;
//   };
//   // In newest.cc. A BlindMethod looks at no sample, a JudgingMethod at what the network says of
//   // each, a LossMethod at the losses that the training has seen; see method.h.
//   std::unique_ptr<const BlindMethod> MakeMethod(const Newest& spec);
//
// Some methods have more. CheckTraining() is for a method that needs something that a training may
// not provide. Auxiliary() is for a method that trains another model first. `warmup_triggers` is
// the number of first triggers that leave nothing out. MethodAt() and Methods() are for a method
// that lets others choose. TakeFiles() and RunsWith() are for a method that names files. kept.h,
// scored.h and gradient_coreset.h have the settings that specs share.
#pragma once

#include "models/training/downsampling_spec.h"

namespace tidemill::trainer_server {

class BlindMethod;
class JudgingMethod;
class LossMethod;

}  // namespace tidemill::trainer_server
