// Lists the cases that the suite measures, and chooses those that fit into a budget of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/bench/benchmark_spec.h"
#include "cli/bench/results_file.h"
#include "cli/bench/suite.h"

namespace tidemill::cli {

// One pipeline to run. The runs of an entry come first, then one seed of each comparison after the
// other, so that a budget leaves out further seeds first.
struct BenchCase {
  const SuiteEntry* entry = nullptr;
  std::string name;  // "runs/monthly", "sweep/2", "policies/adwin/1". Unique in its entry.
  std::string pipeline_file;
  Sections with = {};
  std::optional<int64_t> seed = std::nullopt;  // Absent: the seed in the file.
  int64_t max_triggers = 0;
  double seconds = 60;                         // The expected time.
  const ComparisonSpec* comparison = nullptr;  // For a variant of a comparison.
  const SweepSpec* sweep = nullptr;            // For a sweep.
  std::vector<double> prices = {};             // For a sweep.
  int round = 0;                               // Cases of a lower round are measured first.
};

struct PlanOptions {
  int num_seeds = 3;
  // Only these parts: runs, sweep, or the name of a comparison; empty: all.
  std::vector<std::string> parts = {};
  // If not empty, only these variants and rows of comparisons are measured.
  std::vector<std::string> policies = {};
  bool smoke = false;  // Only the short runs.
  bool quick = false;  // Only a trial of comparisons: one seed, the first column, few triggers.
};

// Returns the cases in the order in which they are measured. The entries must outlive them.
// NOT_FOUND when no entry has a requested part or policy.
absl::StatusOr<std::vector<BenchCase>> PlanCases(const std::vector<SuiteEntry>& entries,
                                                 const PlanOptions& options);

// A plan that fits into a budget, and what it leaves out.
struct BudgetedPlan {
  std::vector<BenchCase> cases;
  std::vector<BenchCase> left_out;
  bool fewer_prices = false;  // Sweeps have every other price.
  double seconds = 0;         // The expected time of the cases.
};

// Chooses the cases that fit into `budget` seconds. Further seeds are left out first. When the
// first ones do not fit, sweeps get every other price, and then the longest cases are left out.
// Without a budget, all are chosen.
BudgetedPlan FitInto(std::vector<BenchCase> cases, std::optional<double> budget);

struct NamedPipeline {
  std::string name;
  std::string text;
};

// Returns the pipeline of a case: its file with other sections, seed and name. The name contains a
// part of the digest of its text.
absl::StatusOr<NamedPipeline> PipelineOf(const BenchCase& one);

// Returns a digest of what a case measures: its pipeline, its data, what it is judged by, its
// policies and its prices.
absl::StatusOr<std::string> DigestOf(const BenchCase& one);

}  // namespace tidemill::cli
