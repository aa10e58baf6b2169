#include "cli/bench/benchmark_spec.h"

#include <algorithm>
#include <set>

#include "fmt/format.h"

#include "cli/bench/pipeline_variant.h"

namespace tidemill::cli {
namespace {

constexpr std::string_view kDomains[] = {"recsys",  "text",    "driving",
                                         "weather", "tabular", "vision"};

std::vector<std::string> RunsNamedBy(const BenchmarkCheck& check) {
  return std::visit(
      [](const auto& own) -> std::vector<std::string> {
        if constexpr (requires { own.over; }) return {own.run, own.over};
        return {own.run};
      },
      check);
}

}  // namespace

std::vector<ComparisonVariant> ComparisonSpec::AllVariants() const {
  std::vector<ComparisonVariant> all = variants;
  for (const ComparisonVariant& row : rows) {
    for (const ComparisonVariant& column : columns) {
      ComparisonVariant& both = all.emplace_back(row);
      both.name = fmt::format("{} x {}", row.name, column.name);
      for (const auto& [key, value] : column.with) both.with[key] = value;
      for (auto& [word, text] : both.words) text = WithWords(text, column.words);
      for (const auto& [word, text] : column.words) both.words[word] = text;
    }
  }
  return all;
}

Sections ComparisonSpec::SectionsOf(const ComparisonVariant& variant) const {
  Sections sections = with;
  for (const auto& [key, value] : variant.with) sections[key] = value;
  Words all = variant.words;
  all.insert(words.begin(), words.end());
  for (auto& [key, value] : sections) value = WithWords(value, all);
  return sections;
}

void BenchmarkSpec::Check(config::Problems& problems) const {
  if (std::ranges::find(kDomains, domain) == std::end(kDomains)) {
    problems.Add("domain", fmt::format("'{}' is not a domain", domain),
                 "recsys, text, driving, weather, tabular or vision");
  }
  if (runs.empty() && comparisons.empty()) {
    problems.Add("", "needs `runs` or `comparisons`", "say what is measured");
  }
  std::set<std::string> names;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!names.insert(runs[i].name).second) {
      problems.Add(fmt::format("runs[{}].name", i), "is the name of two runs", "choose another");
    }
  }
  for (size_t i = 0; i < checks.size(); ++i) {
    for (const std::string& run : RunsNamedBy(checks[i])) {
      if (run.empty() || names.contains(run)) continue;
      problems.Add(fmt::format("checks[{}]", i), fmt::format("no run is called '{}'", run),
                   "name one of `runs`");
    }
  }
  if (smoke && !names.contains(smoke->run)) {
    problems.Add("smoke.run", fmt::format("no run is called '{}'", smoke->run),
                 "name one of `runs`");
  }
}

}  // namespace tidemill::cli
