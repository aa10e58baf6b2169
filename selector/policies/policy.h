// What the header of a selection policy consists of. Programs read it that choose nothing, and that
// link none of the libraries for choosing. Therefore everything that a spec says about itself is in
// the header.
//
//   struct Newest {
//     static constexpr std::string_view kType, kDoc, kRule, kWeights, kCost;  // kSource: may be.
//     int64_t samples = 1;
//     void Fields(auto&& field) { ... }
//
//     CandidatePool TakesFrom() const { return {.over = Pool::kAll}; }  // See selection_spec.h.
//     int64_t Target(int64_t available) const { return std::min(samples, available); }
//     LooksAt WhatItLooksAt() const { return LooksAt::kNothing; }
//     Recalls WhatItRecalls() const { return Recalls::kNothing; }
//   };
//   // In newest.cc; see chooser.h.
//   std::unique_ptr<Chooser> MakeChooser(const Newest& spec, const RandomKey& random,
//                                        const Workplace& workplace, TrainingSetWriter& into);
//
// Some policies have more. CheckSamples() is for a policy that looks at something that samples may
// lack. `warmup_triggers` is the number of first triggers that train on all candidates. PolicyAt()
// is for a policy that lets others choose. draw.h has the fields of the policies that draw a stated
// number of samples.
#pragma once

#include "config/problems.h"
#include "selector/client/candidate_pool.h"
#include "selector/client/selection_spec.h"
#include "transform/engine/schema_check.h"

namespace tidemill {

struct RandomKey;

namespace selector {

class Chooser;
class TrainingSetWriter;
struct Workplace;

}  // namespace selector
}  // namespace tidemill
