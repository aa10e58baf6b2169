// Checks the promises of chooser.h for every policy.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "config/testing/not_tried.h"
#include "selector/testing/choosing.h"
#include "selector/trials/invented_facts.h"

namespace tidemill::selector {
namespace {

using testing::ChooseFrom;
using testing::Chosen;
using testing::Circumstances;
using ::testing::IsEmpty;
using testing::kRandom;
using testing::MixedClasses;
using ::testing::Not;
using testing::Spec;
using testing::Stream;
using trials::InventedFacts;

// A policy that is on the list and has no case fails AreAllTried.
std::vector<SelectionSpec> AllPolicies() {
  std::vector<SelectionSpec> policies;
  for (const char* const yaml : {
           "new_data",
           "{type: new_data, limit: 50, limit_by: uniform}",
           "all_data",
           "{type: uniform, fraction: 0.2}",
           "{type: balanced, samples: 90, weights: inverse_probability}",
           "{type: freshness, samples: 60}",
           "{type: reservoir, samples: 40}",
           "{type: importance, column: c, fraction: 0.1, smoothing: 0.1}",
           "{type: k_center, samples: 12}",
           "{type: facility_location, samples: 12}",
           "{type: k_medoids, samples: 12}",
           "{type: pairwise, samples: 30, neighbors: 4}",
           "{type: deduplicated, epsilon: 0.01}",
           "{type: schedule, steps: [{triggers: 2, use: all_data}, "
           "{use: {type: uniform, samples: 20, over: all}}]}",
       }) {
    policies.push_back(Spec(yaml));
  }
  return policies;
}

// tests/plugin/selection_plugin_test.cc holds plug-ins to the same promises.
TEST(SelectionPolicies, AreAllTried) {
  EXPECT_THAT(config::testing::NotTried(AllPolicies(), {"plugin"}), IsEmpty());
}

TEST(SelectionPolicies, ChooseTheSameHoweverCandidatesAreCut) {
  const Stream stream = MixedClasses({300, 150, 50});
  const ChosenKeys none;
  for (const SelectionSpec& policy : AllPolicies()) {
    SCOPED_TRACE(config::Print(policy));
    InventedFacts facts;
    Circumstances how{.facts = &facts, .chosen_before = &none, .chosen_in_round = &none};
    const Chosen whole = ChooseFrom(policy, stream, kRandom, how);
    EXPECT_THAT(whole.rows, Not(IsEmpty()));
    for (const size_t piece : {1, 7, 100}) {
      how.piece = piece;
      how.num_threads = piece == 7 ? 4 : 1;
      const Chosen again = ChooseFrom(policy, stream, kRandom, how);
      EXPECT_EQ(again.rows, whole.rows) << "in pieces of " << piece;
      EXPECT_EQ(again.weights, whole.weights) << "in pieces of " << piece;
    }
  }
}

TEST(SelectionPolicies, ChooseNoMoreThanTheirTarget) {
  const Stream stream = MixedClasses({300, 150, 50});
  const ChosenKeys none;
  for (const SelectionSpec& policy : AllPolicies()) {
    InventedFacts facts;
    const Chosen chosen =
        ChooseFrom(policy, stream, kRandom,
                   {.facts = &facts, .chosen_before = &none, .chosen_in_round = &none});
    const SelectionSpec now = policy->PolicyAt(kRandom.trigger);
    EXPECT_LE(std::ssize(chosen.rows), now->Target(std::ssize(stream.keys)))
        << config::Print(policy);
  }
}

}  // namespace
}  // namespace tidemill::selector
