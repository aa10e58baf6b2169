// What the header of a downsampling method is made of. It is read by programs that train nothing
// and link none of what choosing takes: what a spec says of itself stands in the header.
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
// Some also have CheckTraining(), where a training may not give what the method asks for;
// Auxiliary(), where another model is trained first; a member `warmup_triggers`, of triggers that
// leave nothing out; or MethodAt() and Methods(), where others choose for it. kept.h, scored.h and
// gradient_coreset.h have what specs have in common.
#pragma once

#include "models/training/downsampling_spec.h"

namespace tidemill::trainer_server {

class BlindMethod;
class JudgingMethod;
class LossMethod;

}  // namespace tidemill::trainer_server
