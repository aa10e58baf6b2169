#include "cli/bench/bench_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/bench/sweep.h"
#include "cli/results/run_measures.h"
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
  std::vector<SweepSeed> seeds;
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
  auto table = CompareRegret(seeds, {prices.begin(), prices.end()});
  if (table.ok()) {
    report.regret = *std::move(table);
  } else {
    report.problems.push_back(std::string(table.status().message()));
  }
}

std::vector<MeasuredWindow> JudgedOf(const ComparisonSpec& comparison, const RunFigures& run) {
  Reading reading;
  reading.measure = comparison.measure;
  reading.dataset = comparison.dataset;
  reading.from = comparison.from;
  if (comparison.judged == JudgedWindows::kActive) return WindowsRead(run, reading);
  std::vector<MeasuredWindow> judged = run.evaluations;
  std::erase_if(judged, [&](const MeasuredWindow& own) {
    return own.measure != comparison.measure || !own.slice.empty() || !own.value ||
           (!comparison.dataset.empty() && own.dataset != comparison.dataset) ||
           run.models.empty() || own.trigger == run.models.front().number;
  });
  return judged;
}

double StageSeconds(const RunFigures& run, const std::string& stage, bool but_first) {
  double seconds = 0;
  for (size_t i = but_first ? 1 : 0; i < run.models.size(); ++i) {
    const auto found = run.models[i].stage_seconds.find(stage);
    if (found != run.models[i].stage_seconds.end()) seconds += found->second;
  }
  return seconds;
}

VariantResult::Run RunOf(const ComparisonSpec& comparison, const RunFigures& run) {
  const bool but_first = comparison.judged == JudgedWindows::kAfterFirst;
  VariantResult::Run own{.num_trainings = static_cast<int64_t>(run.models.size()),
                         .training_seconds = StageSeconds(run, "train", but_first),
                         .selecting_seconds = StageSeconds(run, "select", but_first),
                         .deciding_seconds = run.deciding_seconds,
                         .run_seconds = run.seconds,
                         .processor_seconds = run.processor_seconds,
                         .money = run.money,
                         .currency = run.currency};
  for (size_t i = but_first ? 1 : 0; i < run.models.size(); ++i) {
    own.num_trained += run.models[i].num_samples;
  }
  return own;
}

void AddVariant(const ComparisonSpec& comparison, const std::string& variant,
                const ResultsFile& results, EntryReport& report) {
  const std::string prefix = fmt::format("{}/{}/", comparison.name, variant);
  VariantResult result{.comparison = comparison.name, .variant = variant};
  for (const auto& [name, stored] : results.results()) {
    if (!name.starts_with(prefix)) continue;
    const auto run = FiguresIn(results, name, report.problems);
    if (!run) continue;
    const std::vector<MeasuredWindow> judged = JudgedOf(comparison, *run);
    const auto value = PooledValueOf(judged);
    if (!value) {
      report.problems.push_back(fmt::format("{}: no value of {}", name, comparison.measure));
      continue;
    }
    VariantResult::Run& own = result.runs.emplace_back(RunOf(comparison, *run));
    own.seed = stored.value("seed", int64_t{0});
    own.value = *value;
    for (const MeasuredWindow& window : judged) own.num_judged += window.num_samples;
  }
  if (!result.runs.empty()) report.variants.push_back(std::move(result));
}

// All variants of a comparison must be judged on the same samples.
void CheckAlike(const EntryReport& report, std::vector<std::string>& problems) {
  std::map<std::string, std::pair<std::string, int64_t>> first;
  for (const VariantResult& variant : report.variants) {
    for (const VariantResult::Run& run : variant.runs) {
      const auto& [other, num_judged] =
          first.try_emplace(variant.comparison, variant.variant, run.num_judged).first->second;
      if (num_judged == run.num_judged) continue;
      problems.push_back(fmt::format("{}: {} was judged on {} samples, {} on {}",
                                     variant.comparison, variant.variant, run.num_judged, other,
                                     num_judged));
      break;
    }
  }
}

ordered_json VariantToJson(const VariantResult& own) {
  ordered_json runs = ordered_json::array();
  for (const VariantResult::Run& run : own.runs) {
    runs.push_back({{"seed", run.seed},
                    {"value", run.value},
                    {"samples", run.num_judged},
                    {"trainings", run.num_trainings},
                    {"samples_trained", run.num_trained},
                    {"training_seconds", run.training_seconds},
                    {"selecting_seconds", run.selecting_seconds},
                    {"deciding_seconds", run.deciding_seconds},
                    {"run_seconds", run.run_seconds},
                    {"processor_seconds", run.processor_seconds}});
    if (run.money) {
      runs.back()["money"] = *run.money;
      runs.back()["currency"] = run.currency;
    }
  }
  return {{"comparison", own.comparison}, {"variant", own.variant}, {"runs", runs}};
}

template <typename Of>
double MeanOf(const VariantResult& variant, const Of& of) {
  double sum = 0;
  for (const VariantResult::Run& run : variant.runs) sum += static_cast<double>(of(run));
  return sum / static_cast<double>(variant.runs.size());
}

// "31.2 s on processors", or money where each run has a price.
std::string CostOf(const VariantResult& own) {
  using Run = VariantResult::Run;
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

std::string DescribeRegret(const RegretTable& regret) {
  std::string text = fmt::format(
      "\nRegret per window on the last {} of {} windows, {} seed{}{}; the oracle trains at the "
      "best windows.\n",
      regret.num_windows - regret.judged_from, regret.num_windows, regret.seeds.size(),
      regret.seeds.size() == 1 ? "" : "s",
      regret.num_left_out > 0 ? fmt::format(", {} windows left out", regret.num_left_out) : "");
  for (const auto& [price, oracle] : regret.oracle) {
    text += fmt::format("\nprice {}: the oracle costs {:.4f}\n", price, oracle.mean);
    Table table({"POLICY", "REGRET", "LOW", "HIGH", "TRAININGS", "SETTING"});
    for (const PolicyCost& own : regret.costs) {
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
  using Run = VariantResult::Run;
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
  }
  CheckAlike(report, report.problems);
  return report;
}

std::string DescribeReport(const EntryReport& report) {
  std::string text = fmt::format("{}/{}\n", report.domain, report.entry) + DescribeChecks(report);
  if (report.regret) text += DescribeRegret(*report.regret);
  text += DescribeVariants(report);
  for (const std::string& failed : report.failed) text += "could not be tried: " + failed + "\n";
  for (const std::string& problem : report.problems) text += "problem: " + problem + "\n";
  return text;
}

ordered_json ReportToJson(const EntryReport& report) {
  ordered_json variants = ordered_json::array();
  for (const VariantResult& own : report.variants) variants.push_back(VariantToJson(own));
  ordered_json json = {
      {"entry", report.entry}, {"domain", report.domain}, {"checks", ChecksToJson(report.checks)},
      {"variants", variants},  {"failed", report.failed}, {"problems", report.problems}};
  if (report.regret) json["regret"] = RegretToJson(*report.regret);
  return json;
}

bool AllHold(const EntryReport& report) {
  return std::ranges::all_of(report.checks,
                             [](const CheckOutcome& check) { return check.holds || !check.value; });
}

}  // namespace tidemill::cli
