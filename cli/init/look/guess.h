// A guessed line of a pipeline, and its YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidemill::cli {

// An alternative to a guess.
struct OtherChoice {
  std::string line = {};  // A whole line of YAML: "label: {column: churned}".
  std::string reason = {};
};

// `key: value` in a pipeline, with its reason.
struct Guess {
  std::string key = {};     // "label"; in the graph, the op.
  std::string value = {};   // YAML in flow style. Lines may be broken at each kBreak.
  std::string reason = {};  // The observation that supports it.
  // The open question, and its remedy. Empty: the guess is certain.
  std::string unknown = {};
  std::vector<OtherChoice> others = {};
};

// A blank at which a long line of YAML may be broken.
inline constexpr char kBreak = '\v';

// Returns the text as a YAML scalar that every reader reads as a text, in quotes if needed.
std::string YamlText(std::string_view text);

// Returns "[a, b]".
std::string YamlList(const std::vector<std::string>& texts);

// Returns "{key: value, ...}" of parts such as "column: x"; empty parts are left out.
std::string YamlMap(const std::vector<std::string>& parts);

// Returns a column as an expression names it, in double quotes.
std::string InExpression(const std::string& name);

// Returns "'a', 'b' and 3 others", made printable.
std::string NamesForPeople(const std::vector<std::string>& names, size_t most = 3);

}  // namespace tidemill::cli
