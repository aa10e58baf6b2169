#include "cli/bench/bench_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/bench/sweep.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

std::optional<RunFigures> FiguresIn(const ResultsFile& results, const std::string& name,
                                    std::vector<std::string>& problems) {
  const ordered_json* result = results.FindAny(name);
  if (result == nullptr) return std::nullopt;
  auto figures = FiguresFromJson(result->value("figures", ordered_json()));
  if (figures.ok()) return *std::move(figures);
  problems.push_back(fmt::format("{}: {}", name, std::string(figures.status().message())));
  return std::nullopt;
}

std::vector<CheckOutcome> JudgeEntry(const SuiteEntry& entry, const ResultsFile& results,
                                     std::vector<std::string>& problems) {
  std::map<std::string, RunFigures> runs;
  for (const BenchmarkRun& run : entry.spec.runs) {
    auto figures = FiguresIn(results, "runs/" + run.name, problems);
    if (figures) runs[run.name] = *std::move(figures);
  }
  if (runs.empty()) return {};
  return JudgeChecks(entry.spec.checks, runs);
}

void AddSweepReport(const SuiteEntry& entry, const ResultsFile& results, EntryReport& report) {
  if (!entry.spec.sweep) return;
  const SweepSpec& sweep = *entry.spec.sweep;
  std::vector<results::SweepSeed> seeds;
  std::set<double> prices(sweep.prices.begin(), sweep.prices.end());
  for (const auto& [name, result] : results.results()) {
    if (!name.starts_with("sweep/")) continue;
    auto seed = SweepSeedOf(result, sweep);
    if (!seed.ok()) {
      report.problems.push_back(fmt::format("{}: {}", name, std::string(seed.status().message())));
      continue;
    }
    const std::set<double> own = result.value("prices", std::set<double>{});
    std::erase_if(prices, [&](double price) { return !own.contains(price); });
    for (const ordered_json& failed : result.value("failed", ordered_json::array())) {
      report.failed.push_back(
          fmt::format("{}: {}", failed.value("policy", ""), failed.value("error", "")));
    }
    seeds.push_back(*std::move(seed));
  }
  if (seeds.empty()) return;
  auto table = results::CompareRegret(seeds, {prices.begin(), prices.end()});
  if (table.ok()) {
    report.regret = *std::move(table);
  } else {
    report.problems.push_back(std::string(table.status().message()));
  }
}

void AddVariant(const ComparisonSpec& comparison, const std::string& variant,
                const ResultsFile& results, EntryReport& report) {
  const std::string prefix = fmt::format("{}/{}/", comparison.name, variant);
  VariantResult result{.comparison = comparison.name, .variant = variant};
  for (const auto& [name, stored] : results.results()) {
    if (!name.starts_with(prefix)) continue;
    auto run = ComparisonRunFromJson(stored.value("run", ordered_json()));
    if (run.ok()) {
      result.runs.push_back(*std::move(run));
    } else {
      report.problems.push_back(fmt::format("{}: {}", name, std::string(run.status().message())));
    }
  }
  if (!result.runs.empty()) report.variants.push_back(std::move(result));
}

// What differs between two runs that must be alike. Empty when nothing does.
std::string Difference(const ComparisonSpec& comparison, const ComparisonRun& one,
                       const ComparisonRun& other) {
  if (one.num_judged != other.num_judged) {
    return fmt::format("was judged on {} samples instead of {}", one.num_judged, other.num_judged);
  }
  if (!comparison.same_first_model || one.seed != other.seed) return "";
  return one.first_model == other.first_model ? "" : "began with another model";
}

// All variants of a comparison must be judged on the same samples, and may have to begin with the
// same model.
void CheckAlike(const ComparisonSpec& comparison, EntryReport& report) {
  std::map<int64_t, std::pair<std::string, const ComparisonRun*>> first;  // By seed.
  for (const VariantResult& variant : report.variants) {
    if (variant.comparison != comparison.name) continue;
    for (const ComparisonRun& run : variant.runs) {
      const auto& [name, other] = first.try_emplace(run.seed, variant.variant, &run).first->second;
      for (const ComparisonRun* held : {other, first.begin()->second.second}) {
        const std::string difference = Difference(comparison, run, *held);
        if (difference.empty()) continue;
        report.unlike.push_back(fmt::format("{}: {} with seed {} {}, beside {}", comparison.name,
                                            variant.variant, run.seed, difference, name));
        break;
      }
    }
  }
}

ordered_json VariantToJson(const VariantResult& own) {
  ordered_json runs = ordered_json::array();
  for (const ComparisonRun& run : own.runs) runs.push_back(ComparisonRunToJson(run));
  return {{"comparison", own.comparison}, {"variant", own.variant}, {"runs", runs}};
}

template <typename Of>
double MeanOf(const VariantResult& variant, const Of& of) {
  double sum = 0;
  for (const ComparisonRun& run : variant.runs) sum += static_cast<double>(of(run));
  return sum / static_cast<double>(variant.runs.size());
}

// "31.2 s on processors", or money where each run has a price.
std::string CostOf(const VariantResult& own) {
  using Run = ComparisonRun;
  const bool has_money =
      std::ranges::all_of(own.runs, [](const Run& run) { return run.money.has_value(); });
  if (has_money) {
    return fmt::format("{:.6f} {}", MeanOf(own, [](const Run& run) { return *run.money; }),
                       own.runs.front().currency);
  }
  const double seconds = MeanOf(own, [](const Run& run) { return run.processor_seconds; });
  return seconds > 0 ? fmt::format("{} on processors", Elapsed(seconds)) : "-";
}

std::string DescribeChecks(const EntryReport& report) {
  if (report.checks.empty()) return "";
  Table table({"CHECK", "VALUE", "BOUND", "HOLDS"});
  for (const CheckOutcome& check : report.checks) {
    table.Add({check.name, check.value ? fmt::format("{:.4f}", *check.value) : check.why_not,
               check.bound, check.holds ? "yes" : (check.value ? "NO" : "not measured")});
  }
  return table.ToString();
}

std::string DescribeRegret(const results::RegretTable& regret) {
  std::string text = fmt::format(
      "\nRegret per window on the last {} of {} windows, {} seed{}{}; the oracle trains at the "
      "best windows.\n",
      regret.num_windows - regret.judged_from, regret.num_windows, regret.seeds.size(),
      regret.seeds.size() == 1 ? "" : "s",
      regret.num_left_out > 0 ? fmt::format(", {} windows left out", regret.num_left_out) : "");
  for (const auto& [price, oracle] : regret.oracle) {
    text += fmt::format("\nprice {}: the oracle costs {:.4f}\n", price, oracle.mean);
    Table table({"POLICY", "REGRET", "LOW", "HIGH", "TRAININGS", "SETTING"});
    for (const results::PolicyCost& own : regret.costs) {
      if (own.price != price) continue;
      table.Add({own.policy, fmt::format("{:.4f}", own.regret.mean),
                 fmt::format("{:.4f}", own.regret.low), fmt::format("{:.4f}", own.regret.high),
                 fmt::format("{:.1f}", own.trainings),
                 own.num_off_grid > 0
                     ? fmt::format("{} ({} triggers off the grid)", own.setting, own.num_off_grid)
                     : own.setting});
    }
    text += table.ToString();
  }
  return text;
}

std::string DescribeVariants(const EntryReport& report) {
  if (report.variants.empty()) return "";
  Table table(
      {"COMPARISON", "VARIANT", "SEEDS", "VALUE", "TRAININGS", "SAMPLES", "TRAIN", "RUN", "COST"});
  using Run = ComparisonRun;
  for (const VariantResult& own : report.variants) {
    table.Add({own.comparison, own.variant, fmt::format("{}", own.runs.size()),
               fmt::format("{:.4f}", MeanOf(own, [](const Run& run) { return run.value; })),
               fmt::format("{:.1f}", MeanOf(own, [](const Run& run) { return run.num_trainings; })),
               fmt::format("{:.0f}", MeanOf(own, [](const Run& run) { return run.num_trained; })),
               Elapsed(MeanOf(own, [](const Run& run) { return run.training_seconds; })),
               Elapsed(MeanOf(own, [](const Run& run) { return run.run_seconds; })), CostOf(own)});
  }
  return "\n" + table.ToString();
}

}  // namespace

EntryReport ReportOf(const SuiteEntry& entry, const ResultsFile& results) {
  EntryReport report{.entry = entry.spec.name, .domain = entry.spec.domain};
  report.checks = JudgeEntry(entry, results, report.problems);
  AddSweepReport(entry, results, report);
  for (const ComparisonSpec& comparison : entry.spec.comparisons) {
    for (const ComparisonVariant& variant : comparison.AllVariants()) {
      AddVariant(comparison, variant.name, results, report);
    }
    CheckAlike(comparison, report);
  }
  return report;
}

std::string DescribeReport(const EntryReport& report) {
  std::string text = fmt::format("{}/{}\n", report.domain, report.entry) + DescribeChecks(report);
  if (report.regret) text += DescribeRegret(*report.regret);
  text += DescribeVariants(report);
  for (const std::string& failed : report.failed) text += "could not be tried: " + failed + "\n";
  for (const std::string& problem : report.problems) text += "problem: " + problem + "\n";
  for (const std::string& unlike : report.unlike) text += "not alike: " + unlike + "\n";
  return text;
}

ordered_json ReportToJson(const EntryReport& report) {
  ordered_json variants = ordered_json::array();
  for (const VariantResult& own : report.variants) variants.push_back(VariantToJson(own));
  ordered_json json = {
      {"entry", report.entry},  {"domain", report.domain}, {"checks", ChecksToJson(report.checks)},
      {"variants", variants},   {"failed", report.failed}, {"problems", report.problems},
      {"unlike", report.unlike}};
  if (report.regret) json["regret"] = results::RegretToJson(*report.regret);
  return json;
}

bool AllHold(const EntryReport& report) {
  const auto holds = [](const CheckOutcome& check) { return check.holds || !check.value; };
  return report.unlike.empty() && std::ranges::all_of(report.checks, holds);
}

}  // namespace tidemill::cli
