// The parts of the header of a selection policy. Programs that choose nothing, and link none of the
// libraries for choosing, include it. Therefore everything that describes a spec is in the header.
//
//   struct Newest {
//     static constexpr std::string_view kType, kDoc, kRule, kWeights, kCost, kSource;
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
// Where a default of Selection or of SelectionBase does not fit, the header specialises SelectionOf
// for the spec and overrides it: CheckSamples() for a policy that reads something that samples may
// lack, WarmupTriggers() for one that can warm up, PolicyAt() for one that delegates to other
// policies. draw.h has the fields of the policies that draw a stated number of samples.
#pragma once

#include <cstdint>

#include "config/choice.h"
#include "config/choosing_part.h"
#include "config/documents/problems.h"
#include "selector/client/candidate_pool.h"
#include "selector/client/selection_spec.h"
#include "transform/engine/schema_check.h"

namespace tidemill {

struct RandomKey;

namespace selector {

class Chooser;
class TrainingSetWriter;
struct Workplace;

// The policy that chooses all candidates of a pool. It replaces a policy that warms up.
SelectionSpec AllOf(const CandidatePool& pool);

template <typename Spec>
class SelectionOf;

// The members that every spec has.
template <typename Spec>
class SelectionBase : public config::PartOf<SelectionOf<Spec>, Selection, Spec> {
 public:
  SelectionSpec PolicyAt(int64_t trigger) const override {
    if (trigger <= WarmupTriggers()) return AllOf(TakesFrom());
    return this->spec_;
  }
  CandidatePool TakesFrom() const override { return this->spec_.TakesFrom(); }
  int64_t Target(int64_t available) const override { return this->spec_.Target(available); }
  LooksAt WhatItLooksAt() const override { return this->spec_.WhatItLooksAt(); }
  Recalls WhatItRecalls() const override { return this->spec_.WhatItRecalls(); }
  config::ChoosingText Text() const override {
    return {.rule = Spec::kRule,
            .weights = Spec::kWeights,
            .cost = Spec::kCost,
            .source = Spec::kSource};
  }

 protected:
  // The number of first triggers that train on all candidates.
  virtual int64_t WarmupTriggers() const { return 0; }
};

// The policy of a spec, with the defaults.
template <typename Spec>
class SelectionOf final : public SelectionBase<Spec> {};

}  // namespace selector
}  // namespace tidemill
