#include "selector/policies/policy_list.h"

namespace tidemill::selector {
namespace {

// What a policy that warms up does meanwhile.
SelectionSpec AllOf(const CandidatePool& pool) {
  if (pool.over == Pool::kAll) return AllData{.where = pool.where};
  return NewData{.tail = pool.tail.value_or(0), .where = pool.where};
}

// A policy by its spec, as policy.h says.
template <typename Spec>
class SelectionOf final : public config::PartOf<SelectionOf<Spec>, Selection, Spec> {
 public:
  SelectionSpec PolicyAt([[maybe_unused]] int64_t trigger) const override {
    if constexpr (requires { spec_.PolicyAt(trigger); }) {
      return spec_.PolicyAt(trigger);
    } else if constexpr (requires { spec_.warmup_triggers; }) {
      if (trigger <= spec_.warmup_triggers) return AllOf(spec_.TakesFrom());
    }
    return spec_;
  }
  CandidatePool TakesFrom() const override { return spec_.TakesFrom(); }
  int64_t Target(int64_t available) const override { return spec_.Target(available); }
  LooksAt WhatItLooksAt() const override { return spec_.WhatItLooksAt(); }
  Recalls WhatItRecalls() const override { return spec_.WhatItRecalls(); }
  bool DependsOnCutAlone() const override {
    if constexpr (requires { spec_.DependsOnCutAlone(); }) {
      return spec_.DependsOnCutAlone();
    } else {
      return false;
    }
  }
  void CheckSamples([[maybe_unused]] const transform::DescribedSamples& samples,
                    [[maybe_unused]] config::Problems& problems) const override {
    if constexpr (requires { spec_.CheckSamples(samples, problems); }) {
      spec_.CheckSamples(samples, problems);
    }
  }
  std::vector<SelectionSpec> members() const override {
    if constexpr (requires { spec_.Members(); }) {
      return spec_.Members();
    } else {
      return {};
    }
  }
  void TakeFiles([[maybe_unused]] config::NamedFiles& files,
                 [[maybe_unused]] config::Problems& problems) override {
    if constexpr (requires { spec_.TakeFiles(files, problems); }) {
      spec_.TakeFiles(files, problems);
    }
  }
  std::string RunsWith() const override {
    if constexpr (requires { spec_.RunsWith(); }) {
      return spec_.RunsWith();
    } else {
      return "";
    }
  }
  SelectionText Text() const override {
    SelectionText text = {
        .rule = Spec::kRule, .weights = Spec::kWeights, .cost = Spec::kCost, .source = {}};
    if constexpr (requires { Spec::kSource; }) text.source = Spec::kSource;
    return text;
  }

 private:
  using config::PartOf<SelectionOf<Spec>, Selection, Spec>::spec_;
};

}  // namespace

std::span<const config::Alternative<Selection>> Selection::Alternatives() {
  return config::Alternatives<Selection, SelectionOf>(Policies());
}

std::vector<std::string> AllRunsWith(const SelectionSpec& spec) {
  std::vector<std::string> all;
  if (std::string own = spec->RunsWith(); !own.empty()) all.push_back(std::move(own));
  for (const SelectionSpec& member : spec->members()) {
    for (std::string& below : AllRunsWith(member)) all.push_back(std::move(below));
  }
  return all;
}

}  // namespace tidemill::selector

TIDEMILL_CONFIG_TYPE(tidemill::selector::SelectionSpec);
