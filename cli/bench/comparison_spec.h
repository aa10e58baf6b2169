// The comparisons of an entry of the benchmark suite: trigger policies by their regret (`sweep`),
// and variants of a pipeline that run side by side (`comparisons`).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "config/config.h"

namespace tidemill::cli {

// Top-level sections of a pipeline, as YAML, that replace those of its file.
using Sections = std::map<std::string, std::string>;

struct SweptPolicy {
  std::string name;
  std::string trigger;
  std::map<std::string, config::OpenValue> tune;

  void Fields(auto&& field) {
    field("name", name, "Name of the policy.", {.required = true});
    field("trigger", trigger,
          "The trigger, as in a pipeline. The word PRICE stands for the price of a training.",
          {.required = true});
    field(
        "tune", tune,
        "Candidates for words of `trigger`. The ones with the least cost on the first third of the "
        "windows are taken, for each price.");
  }
};

struct SweepSpec {
  static constexpr std::string_view kDoc =
      "Compares trigger policies by their regret. A run trains at each cut of a grid; policies are "
      "tried on its models.";
  std::string pipeline;
  std::string measure;
  double error_scale = 1;
  double seconds = 60;
  std::vector<double> prices = {0.001, 0.004, 0.016, 0.064, 0.256};
  std::vector<SweptPolicy> policies;

  void Fields(auto&& field) {
    field("pipeline", pipeline,
          "A pipeline that trains at each cut of the grid, with fresh starts, and evaluates all "
          "models.",
          {.required = true});
    field("measure", measure, "The measure.", {.required = true});
    field("error_scale", error_scale,
          "The error is 1 - value where more is better, and value / error_scale where less is.",
          {.min = 1e-9});
    field("seconds", seconds, "What one seed takes on two cores.", {.min = 0.1});
    field("prices", prices, "Prices of a training, in units of the error of one window.",
          {.min = 0, .min_items = 1, .max_items = 16});
    field("policies", policies, "The policies, besides those that are always there.");
  }
};

struct ComparisonVariant {
  std::string name;
  Sections with;

  void Fields(auto&& field) {
    field("name", name, "Name of the variant.", {.required = true});
    field("with", with, "Sections that replace those of the pipeline. SEED stands for the seed.");
  }
};

enum class JudgedWindows { kActive, kAfterFirst };

struct ComparisonSpec {
  std::string name;
  std::string pipeline;
  Sections with;
  std::string measure;
  std::string dataset;
  JudgedWindows judged = JudgedWindows::kActive;
  std::optional<Timestamp> from;
  double seconds = 60;
  std::vector<ComparisonVariant> variants;
  std::vector<ComparisonVariant> rows;
  std::vector<ComparisonVariant> columns;

  void Fields(auto&& field) {
    field("name", name, "What is compared, such as `policies` or `selections`.",
          {.required = true});
    field("pipeline", pipeline, "The pipeline file, beside this file.", {.required = true});
    field("with", with, "Sections that all variants have in place of the file's.");
    field("measure", measure, "The measure.", {.required = true});
    field("dataset", dataset, "The dataset of the evaluation; by default the first one with it.");
    field("judged", judged,
          "active: the models in use. after_first: every model but the first, which all share.");
    field("from", from, "Windows that begin earlier do not count.");
    field("seconds", seconds, "What one run takes on two cores.", {.min = 0.1});
    field("variants", variants, "What is compared.");
    field("rows", rows, "Instead of `variants`: each of these with each of `columns`.");
    field("columns", columns, "See `rows`.");
  }
  void Check(config::Problems& problems) const {
    if (variants.empty() == (rows.empty() || columns.empty())) {
      problems.Add("", "needs `variants`, or `rows` and `columns`", "say what is compared");
    }
  }

  // Returns `variants`, or each row with each column: "row x column".
  std::vector<ComparisonVariant> AllVariants() const;
};

}  // namespace tidemill::cli

template <>
struct tidemill::config::EnumNames<tidemill::cli::JudgedWindows> {
  static constexpr std::pair<tidemill::cli::JudgedWindows, std::string_view> kNames[] = {
      {tidemill::cli::JudgedWindows::kActive, "active"},
      {tidemill::cli::JudgedWindows::kAfterFirst, "after_first"}};
};
