#include "cli/bench/bench_case.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "fmt/format.h"

#include "base/digest.h"
#include "base/files.h"
#include "cli/bench/pipeline_variant.h"

namespace tidemill::cli {
namespace {

constexpr size_t kMaxPipelineBytes = size_t{1} << 20;

// Whether a variant is called so, or is of the row that is.
bool IsCalled(const ComparisonVariant& variant, const std::string& policy) {
  return variant.name == policy || variant.name.starts_with(policy + " x ");
}

bool IsWanted(const PlanOptions& options, const ComparisonVariant& variant) {
  return options.policies.empty() ||
         std::ranges::any_of(options.policies,
                             [&](const std::string& policy) { return IsCalled(variant, policy); });
}

// A backtest on existing models costs a part of their training.
double SecondsOf(const SweepSpec& sweep, size_t num_prices) {
  return sweep.seconds *
         (0.6 + 0.4 * static_cast<double>(num_prices) / static_cast<double>(sweep.prices.size()));
}

bool IsWantedPart(const PlanOptions& options, const std::string& part) {
  return options.parts.empty() || std::ranges::find(options.parts, part) != options.parts.end();
}

void AddRuns(const SuiteEntry& entry, std::vector<BenchCase>& cases) {
  for (const BenchmarkRun& run : entry.spec.runs) {
    cases.push_back({.entry = &entry,
                     .name = "runs/" + run.name,
                     .pipeline_file = run.pipeline,
                     .with = run.with,
                     .max_triggers = run.max_triggers,
                     .seconds = run.seconds});
  }
}

void AddSweep(const SuiteEntry& entry, int seed, std::vector<BenchCase>& cases) {
  if (!entry.spec.sweep) return;
  const SweepSpec& sweep = *entry.spec.sweep;
  cases.push_back({.entry = &entry,
                   .name = fmt::format("sweep/{}", seed),
                   .pipeline_file = sweep.pipeline,
                   .seed = seed,
                   .seconds = sweep.seconds,
                   .sweep = &sweep,
                   .prices = sweep.prices,
                   .round = seed});
}

std::optional<int64_t> SeedOf(const ComparisonSpec& comparison, int round) {
  if (comparison.seeds.empty()) return round;
  const auto place = static_cast<size_t>(round) - 1;
  if (place >= comparison.seeds.size()) return std::nullopt;
  return comparison.seeds[place];
}

std::vector<ComparisonVariant> VariantsOf(const ComparisonSpec& comparison, bool quick) {
  if (!quick || comparison.columns.empty()) return comparison.AllVariants();
  ComparisonSpec narrow = comparison;
  narrow.columns.resize(1);
  return narrow.AllVariants();
}

void AddComparisons(const SuiteEntry& entry, int round, const PlanOptions& options,
                    std::vector<BenchCase>& cases) {
  for (const ComparisonSpec& comparison : entry.spec.comparisons) {
    const std::optional<int64_t> seed = SeedOf(comparison, round);
    if (!seed || !IsWantedPart(options, comparison.name)) continue;
    for (const ComparisonVariant& variant : VariantsOf(comparison, options.quick)) {
      if (!IsWanted(options, variant)) continue;
      cases.push_back({.entry = &entry,
                       .name = fmt::format("{}/{}/{}", comparison.name, variant.name, *seed),
                       .pipeline_file = comparison.pipeline,
                       .with = comparison.SectionsOf(variant),
                       .seed = seed,
                       .max_triggers = options.quick ? comparison.quick_triggers : 0,
                       .seconds = comparison.seconds,
                       .comparison = &comparison,
                       .round = round});
    }
  }
}

std::vector<BenchCase> SmokeCases(const std::vector<SuiteEntry>& entries) {
  std::vector<BenchCase> cases;
  for (const SuiteEntry& entry : entries) {
    if (!entry.spec.smoke) continue;
    std::vector<BenchCase> runs;
    AddRuns(entry, runs);
    for (BenchCase& one : runs) {
      if (one.name != "runs/" + entry.spec.smoke->run) continue;
      one.max_triggers = entry.spec.smoke->max_triggers;
      one.name = "smoke/" + entry.spec.smoke->run;
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

bool KnowsPolicy(const std::vector<SuiteEntry>& entries, const std::string& policy) {
  return std::ranges::any_of(entries, [&](const SuiteEntry& entry) {
    return std::ranges::any_of(entry.spec.comparisons, [&](const ComparisonSpec& comparison) {
      return std::ranges::any_of(comparison.AllVariants(), [&](const ComparisonVariant& variant) {
        return IsCalled(variant, policy);
      });
    });
  });
}

bool KnowsPart(const std::vector<SuiteEntry>& entries, const std::string& part) {
  return part == "runs" || part == "sweep" ||
         std::ranges::any_of(entries, [&](const SuiteEntry& entry) {
           return std::ranges::any_of(entry.spec.comparisons,
                                      [&](const ComparisonSpec& own) { return own.name == part; });
         });
}

// What of a comparison decides how its runs are judged. Empty where all windows of the only
// evaluation in the pipeline are.
std::string JudgedBy(const ComparisonSpec& comparison) {
  std::string text = comparison.dataset;
  if (comparison.judged == JudgedWindows::kAfterFirst) text += " after_first";
  if (comparison.judged == JudgedWindows::kAll) text += " all";
  if (comparison.from) text += " from " + FormatTimestamp(*comparison.from);
  return text;
}

// Letters, digits and `_`, as names of pipelines have.
std::string SlugOf(const std::string& name) {
  std::string slug;
  for (const char byte : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(byte)) != 0;
    if (is_plain || (!slug.empty() && slug.back() != '_')) slug += is_plain ? byte : '_';
  }
  return slug.substr(0, 80);
}

}  // namespace

absl::StatusOr<std::vector<BenchCase>> PlanCases(const std::vector<SuiteEntry>& entries,
                                                 const PlanOptions& options) {
  for (const std::string& policy : options.policies) {
    if (!KnowsPolicy(entries, policy)) return NotFound("no entry compares a policy '{}'", policy);
  }
  for (const std::string& part : options.parts) {
    if (!KnowsPart(entries, part)) {
      return NotFound("no entry has a part '{}'; parts are runs, sweep and names of comparisons",
                      part);
    }
  }
  if (options.smoke) return SmokeCases(entries);
  const bool only_comparisons = options.quick || !options.policies.empty();
  std::vector<BenchCase> cases;
  for (const SuiteEntry& entry : entries) {
    if (!only_comparisons && IsWantedPart(options, "runs")) AddRuns(entry, cases);
  }
  const int num_rounds = options.quick ? 1 : options.num_seeds;
  for (int round = 1; round <= num_rounds; ++round) {
    for (const SuiteEntry& entry : entries) {
      if (!only_comparisons && IsWantedPart(options, "sweep")) AddSweep(entry, round, cases);
      AddComparisons(entry, round, options, cases);
    }
  }
  return cases;
}

BudgetedPlan FitInto(std::vector<BenchCase> cases, std::optional<double> budget) {
  BudgetedPlan plan;
  double seconds_of_first = 0;
  for (const BenchCase& one : cases) seconds_of_first += one.round <= 1 ? one.seconds : 0;
  plan.fewer_prices = budget && seconds_of_first > *budget;
  for (BenchCase& one : cases) {
    if (plan.fewer_prices && one.sweep != nullptr && one.prices.size() > 2) {
      std::vector<double> kept;
      for (size_t i = 0; i < one.prices.size(); i += 2) kept.push_back(one.prices[i]);
      one.prices = kept;
      one.seconds = SecondsOf(*one.sweep, kept.size());
    }
    const bool fits = !budget || plan.seconds + one.seconds <= *budget;
    if (fits) plan.seconds += one.seconds;
    (fits ? plan.cases : plan.left_out).push_back(std::move(one));
  }
  return plan;
}

absl::StatusOr<NamedPipeline> PipelineOf(const BenchCase& one) {
  const std::string path = files::Join(one.entry->folder, one.pipeline_file);
  ASSIGN_OR_RETURN(std::string text, files::Read(path, kMaxPipelineBytes));
  text = WithSections(std::move(text), one.with);
  if (one.seed) {
    ASSIGN_OR_RETURN_AS(seeded, text, WithSeed(text, *one.seed));
  }
  const std::string digest =
      Sha256(fmt::format("{}\n{}\n{}", one.name, one.max_triggers, text)).substr(0, 8);
  std::string name = fmt::format("bench_{}_{}_{}", one.entry->spec.name, SlugOf(one.name), digest);
  text = WithSection(text, "name", name);
  return NamedPipeline{std::move(name), std::move(text)};
}

absl::StatusOr<std::string> DigestOf(const BenchCase& one) {
  ASSIGN_OR_RETURN(const NamedPipeline pipeline, PipelineOf(one));
  std::string all = pipeline.text;
  for (const DataFile& file : one.entry->spec.data) all += file.sha256;
  if (one.comparison != nullptr) all += JudgedBy(*one.comparison);
  if (one.sweep != nullptr) {
    all += config::Print(*one.sweep);
    for (const double price : one.prices) all += fmt::format(" {}", price);
  }
  return Sha256(all).substr(0, 16);
}

}  // namespace tidemill::cli
