// The comparisons of an entry of the benchmark suite: trigger policies by their regret (`sweep`),
// and variants of a pipeline that run side by side (`comparisons`).
//
//   comparisons:
//     - name: selections
//       pipeline: pipeline.yaml
//       with: {training: "{epochs: 2, seed: SEED, downsampling: CHOICE}"}
//       measure: accuracy
//       rows:
//         - {name: margin, words: {CHOICE: "{type: margin, fraction: FRACTION}"}}
//         - {name: rs2, words: {CHOICE: "{type: rs2, fraction: FRACTION}"}}
//       columns:
//         - {name: 10%, words: {FRACTION: 0.1}}
//         - {name: 50%, words: {FRACTION: 0.5}}
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

// What stands for words of sections: {FRACTION: 0.1}.
using Words = std::map<std::string, std::string>;

struct ComparisonVariant {
  std::string name;
  Sections with;
  Words words;

  void Fields(auto&& field) {
    field("name", name, "Name of the variant.", {.required = true});
    field("with", with, "Sections that replace those of the pipeline. SEED stands for the seed.");
    field("words", words, "Words of all sections, and what stands for them in this variant.");
  }
};

enum class JudgedWindows { kActive, kAfterFirst, kAll };

struct ComparisonSpec {
  std::string name;
  std::string pipeline;
  Sections with;
  Words words;
  std::string measure;
  std::string dataset;
  JudgedWindows judged = JudgedWindows::kActive;
  std::optional<Timestamp> from;
  bool same_first_model = false;
  std::vector<int64_t> seeds;
  int64_t quick_triggers = 0;
  double seconds = 60;
  std::vector<ComparisonVariant> variants;
  std::vector<ComparisonVariant> rows;
  std::vector<ComparisonVariant> columns;

  void Fields(auto&& field) {
    field("name", name, "What is compared, such as `policies` or `selections`.",
          {.required = true});
    field("pipeline", pipeline, "The pipeline file, beside this file.", {.required = true});
    field("with", with, "Sections that all variants have in place of the file's.");
    field("words", words, "What stands for words of sections where a variant does not say it.");
    field("measure", measure, "The measure.", {.required = true});
    field("dataset", dataset, "The dataset of the evaluation; by default the first one with it.");
    field(
        "judged", judged,
        "active: the models in use. after_first: every model but the first, which all share. all: "
        "every model.");
    field("from", from, "Windows that begin earlier do not count.");
    field("same_first_model", same_first_model,
          "Whether the first models of all variants must be the same for each seed.");
    field("seeds", seeds, "The seeds, the most important one first; by default 1, 2 and so on.");
    field("quick_triggers", quick_triggers, "The most triggers with `--quick`; 0 for no limit.",
          {.min = 0});
    field("seconds", seconds, "What one run takes on two cores.", {.min = 0.1});
    field("variants", variants, "What is compared.");
    field("rows", rows, "Each of these is compared with each of `columns`.");
    field("columns", columns, "See `rows`.");
  }
  void Check(config::Problems& problems) const {
    if (rows.empty() != columns.empty() || (variants.empty() && rows.empty())) {
      problems.Add("", "needs `variants`, or `rows` and `columns`", "say what is compared");
    }
  }

  // Returns `variants`, and each row with each column: "row x column". A row may name words of
  // columns.
  std::vector<ComparisonVariant> AllVariants() const;
  // Returns the sections of a variant, with its words replaced.
  Sections SectionsOf(const ComparisonVariant& variant) const;
};

}  // namespace tidemill::cli

template <>
struct tidemill::config::EnumNames<tidemill::cli::JudgedWindows> {
  static constexpr std::pair<tidemill::cli::JudgedWindows, std::string_view> kNames[] = {
      {tidemill::cli::JudgedWindows::kActive, "active"},
      {tidemill::cli::JudgedWindows::kAfterFirst, "after_first"},
      {tidemill::cli::JudgedWindows::kAll, "all"}};
};
