// What a selection policy is: a pure function from candidate columns and a random stream to the
// chosen rows and their weights. The same input gives the same choice on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "selector/client/selection_spec.h"

namespace tidemill::selector {

// The samples to choose from, one row each, in the order (event time, key) of the stream.
struct Candidates {
  std::span<const int64_t> keys;
  std::span<const int64_t> event_times;  // Microseconds UTC.
};

struct Choice {
  // Ascending row numbers, so that what is chosen keeps the order of the stream.
  std::vector<int64_t> rows = {};
  // One for each row; empty when every weight is 1.
  std::vector<float> weights = {};
};

// One overload for each alternative of SelectionSpec.
Choice Choose(const NewData& spec, const Candidates& candidates, const RandomKey& random);
Choice Choose(const Uniform& spec, const Candidates& candidates, const RandomKey& random);

// By the policy that `spec` names.
Choice Choose(const SelectionSpec& spec, const Candidates& candidates, const RandomKey& random);

// Whether the candidates are all samples up to the trigger, not only those since the one before.
bool DrawsFromHistory(const SelectionSpec& spec);

}  // namespace tidemill::selector
