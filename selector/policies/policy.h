// What the header of a selection policy is made of. It is read by programs that choose nothing and
// link none of what choosing takes: what a spec says of itself stands in the header.
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
// Some also have CheckSamples(), where samples may not have what the policy looks at; a member
// `warmup_triggers`, of triggers that train on all candidates first; or PolicyAt(), where others
// choose for it. draw.h has the fields of policies that draw a stated number of samples.
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
