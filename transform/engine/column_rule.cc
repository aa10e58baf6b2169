#include "transform/engine/column_rule.h"

#include <algorithm>
#include <tuple>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "config/documents/problems.h"

namespace tidemill::transform {
namespace {

constexpr std::string_view kEvery = "*";

// The bytes of the UTF-8 character that begins a text.
size_t CharacterSize(std::string_view text) {
  size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  return size;
}

class Chooser {
 public:
  Chooser(const config::ColumnRule& rule, std::span<const std::string> names)
      : rule_(rule), names_(names) {}

  ChosenPlaces Choose() {
    if (names_.empty()) return {};
    const size_t begin = rule_.from ? Find("from", *rule_.from).value_or(0) : 0;
    const size_t last =
        rule_.to ? Find("to", *rule_.to).value_or(names_.size() - 1) : names_.size() - 1;
    if (!chosen_.problems.empty()) return std::move(chosen_);
    if (last < begin) {
      Add("from", fmt::format("'{}' comes after '{}'", *rule_.from, *rule_.to),
          fmt::format("write {{from: {}, to: {}}}", *rule_.to, *rule_.from));
      return std::move(chosen_);
    }
    for (size_t i = begin; i <= last; ++i) {
      if (MatchesPattern(rule_.match.value_or(std::string(kEvery)), names_[i])) {
        chosen_.places.push_back(i);
      }
    }
    if (chosen_.places.empty()) {
      Add("match", fmt::format("no column matches '{}'", *rule_.match), OthersHint());
      return std::move(chosen_);
    }
    LeaveOut();
    return std::move(chosen_);
  }

 private:
  void Add(std::string key, std::string message, std::string hint) {
    chosen_.problems.push_back({std::move(key), std::move(message), std::move(hint)});
  }

  std::string OthersHint() const { return fmt::format("columns: {}", FirstOf(names_)); }

  std::optional<size_t> Find(const std::string& key, const std::string& name) {
    const auto found = std::ranges::find(names_, name);
    if (found != names_.end()) return found - names_.begin();
    std::string hint = config::DidYouMean(name, {names_.begin(), names_.end()});
    Add(key, fmt::format("there is no column '{}'", name), hint.empty() ? OthersHint() : hint);
    return std::nullopt;
  }

  void LeaveOut() {
    for (size_t i = 0; i < rule_.except.size(); ++i) {
      const std::string key = fmt::format("except[{}]", i);
      const std::optional<size_t> place = Find(key, rule_.except[i]);
      if (!place || std::erase(chosen_.places, *place) > 0) continue;
      const bool twice = std::ranges::count(rule_.except, rule_.except[i]) > 1;
      Add(key,
          twice ? fmt::format("'{}' is named twice", rule_.except[i])
                : fmt::format("'{}' is not among the columns to take", rule_.except[i]),
          "leave it out of `except`");
    }
    if (chosen_.places.empty() && chosen_.problems.empty()) {
      Add("except", "leaves no column", "name fewer columns here");
    }
  }

  const config::ColumnRule& rule_;
  const std::span<const std::string> names_;
  ChosenPlaces chosen_;
};

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view name) {
  // Where to come back to after the last `*`: the rest of the pattern, and the name tried so far.
  std::optional<std::pair<std::string_view, std::string_view>> star;
  while (true) {
    if (pattern.starts_with('*')) {
      pattern.remove_prefix(1);
      star.emplace(pattern, name);
    } else if (pattern.empty() && name.empty()) {
      return true;
    } else if (!pattern.empty() && !name.empty() &&
               (pattern.front() == '?' || pattern.front() == name.front())) {
      name.remove_prefix(pattern.front() == '?' ? CharacterSize(name) : 1);
      pattern.remove_prefix(1);
    } else if (star && !star->second.empty()) {
      star->second.remove_prefix(CharacterSize(star->second));
      std::tie(pattern, name) = *star;
    } else {
      return false;
    }
  }
}

ChosenPlaces ChooseByRule(const config::ColumnRule& rule, std::span<const std::string> names) {
  return Chooser(rule, names).Choose();
}

std::string FirstOf(std::span<const std::string> names) {
  constexpr size_t kShown = 6;
  const bool all = names.size() <= kShown;
  return fmt::format("{}{}", fmt::join(names.first(all ? names.size() : kShown), ", "),
                     all ? "" : ", ...");
}

}  // namespace tidemill::transform
