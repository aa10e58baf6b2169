// Holds the cases of a harness against the list of its kind. A part that a pipeline may name and
// that no case tries keeps promises that no test has checked.
//
//   TEST(Triggers, AreAllTried) {
//     EXPECT_THAT(config::testing::NotTried(AllPolicies(), {"plugin"}), IsEmpty());
//   }
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "config/config.h"
#include "config/phrases.h"

namespace tidemill::config::testing {

template <typename Interface>
std::string TypeNameOf(const Choice<Interface>& part) {
  return std::string(part.type());
}
template <typename... Specs>
std::string TypeNameOf(const std::variant<Specs...>& part) {
  return std::visit([](const auto& spec) { return std::string(spec.kType); }, part);
}

// Returns the types on the list of Part, a Choice or a variant, that no case has. Another test
// tries the types `elsewhere`. The types that a case has, or that are not on the list, are
// returned, too.
template <typename Part>
std::vector<std::string> NotTried(const std::vector<Part>& cases,
                                  std::set<std::string> elsewhere = {}) {
  std::set<std::string> tried;
  for (const Part& part : cases) tried.insert(TypeNameOf(part));
  std::vector<std::string> found;
  for (const std::string& type : internal::TagsOf(internal::TypeOf<Part>())) {
    const bool is_elsewhere = elsewhere.erase(type) > 0;
    if (tried.contains(type) == is_elsewhere) found.push_back(type);
  }
  found.insert(found.end(), elsewhere.begin(), elsewhere.end());
  return found;
}

}  // namespace tidemill::config::testing
