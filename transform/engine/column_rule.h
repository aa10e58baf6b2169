// Chooses columns by a rule over their names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/column_list.h"

namespace tidemill::transform {

// Whether a name matches the pattern. `*` is any text, `?` one character of UTF-8.
bool MatchesPattern(std::string_view pattern, std::string_view name);

// A mistake of a rule for these columns.
struct RuleProblem {
  std::string key;  // "match", "from", "except[1]"
  std::string message;
  std::string hint;

  friend bool operator==(const RuleProblem&, const RuleProblem&) = default;
};

struct ChosenPlaces {
  std::vector<size_t> places;  // The places of the names, ascending.
  std::vector<RuleProblem> problems;
};

// Returns the places of `names` that the rule chooses. These are problems: a name that is not among
// them, a range that ends before it begins, an exception that excludes nothing, and a rule that
// chooses nothing.
ChosenPlaces ChooseByRule(const config::ColumnRule& rule, std::span<const std::string> names);

// The first names, for a message: "a, b, c, d, e, f, ...".
std::string FirstOf(std::span<const std::string> names);

}  // namespace tidemill::transform
