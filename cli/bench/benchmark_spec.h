// The file `benchmark.yaml` of one entry of the benchmark suite: its data, the runs that it makes
// of pipelines, what they must reach, and the policies that are compared on them.
//
//   version: 1
//   name: elec2
//   domain: tabular
//   description: Will the price of electricity go up?
//   data: [{path: drift_elec2/elec2_full.csv, sha256: 87b6..., source: ..., licence: ...}]
//   runs: [{name: lag, pipeline: lag.yaml, seconds: 30}]
//   checks: [{name: accuracy, type: value, run: lag, measure: accuracy, at_least: 0.88}]
//   sweep: {pipeline: sweep.yaml, measure: accuracy, seconds: 40, policies: [...]}
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "config/config.h"

namespace tidemill::cli {

// Top-level sections of a pipeline, as YAML, that replace those of its file.
using Sections = std::map<std::string, std::string>;

struct DataFile {
  std::string path;
  std::string sha256;
  std::string source;
  std::string licence;
  std::string url;

  void Fields(auto&& field) {
    field("path", path, "The file below the folder TIDEMILL_DATA.", {.required = true});
    field("sha256", sha256, "SHA-256 of its bytes.", {.min = 64, .max = 64, .required = true});
    field("source", source, "Where the data comes from.", {.required = true});
    field("licence", licence, "Its licence.", {.required = true});
    field("url", url, "An address of exactly these bytes, from which `bench fetch` loads them.");
  }
};

struct BenchmarkRun {
  std::string name;
  std::string pipeline;
  Sections with;
  int64_t max_triggers = 0;
  double seconds = 60;

  void Fields(auto&& field) {
    field("name", name, "Name of the run in this entry.", {.required = true});
    field("pipeline", pipeline, "Its pipeline file, beside this file.", {.required = true});
    field("with", with, "Sections that replace those of the pipeline file.");
    field("max_triggers", max_triggers, "The most triggers of the run; 0 for no limit.",
          {.min = 0});
    field("seconds", seconds, "What it takes on two cores, for plans within a budget.",
          {.min = 0.1});
  }
};

// A span of event time.
struct Span {
  std::optional<Timestamp> from;
  std::optional<Timestamp> to;

  void Fields(auto&& field) {
    field("from", from, "Windows that begin earlier do not count.");
    field("to", to, "Windows that end later do not count.");
  }
};

enum class JudgedModel { kActive, kFirst, kLast };

// What every check has: a name, and the bound that its value is held against.
struct CheckBound {
  std::string name;
  std::optional<double> at_least;
  std::optional<double> at_most;

  void Fields(auto&& field) {
    field("name", name, "What it says, for people.", {.required = true});
    field("at_least", at_least, "The check holds from this value on.");
    field("at_most", at_most, "The check holds up to this value.");
  }
  void Check(config::Problems& problems) const {
    if (at_least.has_value() == at_most.has_value()) {
      problems.Add("", "needs one of `at_least` and `at_most`", "give one bound");
    }
  }
};

// What is read of a run.
struct Reading : CheckBound {
  std::string run;
  std::string measure;
  std::string dataset;
  std::string slice;
  JudgedModel of = JudgedModel::kActive;
  std::optional<Timestamp> from;
  std::optional<Timestamp> to;

  void Fields(auto&& field) {
    CheckBound::Fields(field);
    field("run", run, "The run of this entry that is judged.", {.required = true});
    field("measure", measure, "The measure.", {.required = true});
    field("dataset", dataset, "The dataset of the evaluation; by default the first one with it.");
    field("slice", slice,
          "A part of the samples, such as `class=UP`, of the model `first` or `last`.");
    field("of", of, "active: the models in use, window by window. first, last: one model.");
    field("from", from, "Windows that begin earlier do not count.");
    field("to", to, "Windows that end later do not count.");
  }
};

struct ValueCheck : Reading {
  static constexpr std::string_view kType = "value";
  static constexpr std::string_view kDoc = "The value of a measure, over all samples of a span.";
};

struct GainCheck : Reading {
  static constexpr std::string_view kType = "gain";
  static constexpr std::string_view kDoc =
      "By how much the run is better than another run, or than a baseline; negative when worse.";
  std::string over;
  std::string baseline;
  void Fields(auto&& field) {
    Reading::Fields(field);
    field("over", over, "The other run of this entry.");
    field("baseline", baseline, "The baseline, instead of a run: constant, last or persistence.");
  }
  void Check(config::Problems& problems) const {
    CheckBound::Check(problems);
    if (over.empty() == baseline.empty()) {
      problems.Add("", "needs one of `over` and `baseline`", "name what it is compared with");
    }
  }
};

struct WindowsWonCheck : Reading {
  static constexpr std::string_view kType = "windows_won";
  static constexpr std::string_view kDoc =
      "In how many windows the run is better than another one.";
  std::string over;
  void Fields(auto&& field) {
    Reading::Fields(field);
    field("over", over, "The other run of this entry.", {.required = true});
  }
};

struct DecayCheck : CheckBound {
  static constexpr std::string_view kType = "decay";
  static constexpr std::string_view kDoc =
      "By how much the first model of a run is worse in a late span than in an early one.";
  std::string run;
  std::string measure;
  Span early;
  Span late;
  void Fields(auto&& field) {
    CheckBound::Fields(field);
    field("run", run, "The run of this entry that is judged.", {.required = true});
    field("measure", measure, "The measure.", {.required = true});
    field("early", early, "The early span.", {.required = true});
    field("late", late, "The late span.", {.required = true});
  }
};

struct EqualWeightsCheck {
  static constexpr std::string_view kType = "equal_weights";
  static constexpr std::string_view kDoc =
      "How many models of two runs have other weights, of as many as the shorter run has. It holds "
      "at 0.";
  std::string name;
  std::string run;
  std::string over;
  void Fields(auto&& field) {
    field("name", name, "What it says, for people.", {.required = true});
    field("run", run, "One run of this entry.", {.required = true});
    field("over", over, "The other run.", {.required = true});
  }
};

using BenchmarkCheck =
    std::variant<ValueCheck, GainCheck, WindowsWonCheck, DecayCheck, EqualWeightsCheck>;

struct SweptPolicy {
  std::string name;
  std::string trigger;
  std::map<std::string, config::OpenValue> tune;

  void Fields(auto&& field) {
    field("name", name, "Name of the policy.", {.required = true});
    field("trigger", trigger,
          "The trigger, as in a pipeline. The word PRICE stands for the price of a training.",
          {.required = true});
    field("tune", tune,
          "Candidates for words of `trigger`. Those with the least cost on the first third of the "
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

struct SmokeSpec {
  std::string run;
  int64_t max_triggers = 1;

  void Fields(auto&& field) {
    field("run", run, "The run that `--smoke` makes.", {.required = true});
    field("max_triggers", max_triggers, "Its most triggers.", {.min = 1});
  }
};

struct BenchmarkSpec {
  static constexpr std::string_view kDoc = "An entry of the benchmark suite.";
  int version = 1;
  std::string name;
  std::string domain;
  std::string description;
  std::vector<DataFile> data;
  std::string prepare;
  std::vector<BenchmarkRun> runs;
  std::optional<SmokeSpec> smoke;
  std::vector<BenchmarkCheck> checks;
  std::optional<SweepSpec> sweep;
  std::vector<ComparisonSpec> comparisons;

  void Fields(auto&& field) {
    field("version", version, "Version of this language.", {.min = 1, .max = 1, .required = true});
    field("name", name, "Name of the entry, which is that of its folder.", {.required = true});
    field("domain", domain, "recsys, text, driving, weather, tabular or vision.",
          {.required = true});
    field("description", description, "What is to be predicted.", {.required = true});
    field("data", data, "The files that it needs from outside.");
    field("prepare", prepare,
          "A program beside this file that makes files in the folder that it is given.");
    field("runs", runs, "Runs of pipelines.", {.required = true, .min_items = 1});
    field("smoke", smoke, "A short run without data from outside.");
    field("checks", checks, "What the runs must reach.");
    field("sweep", sweep, "Trigger policies, by their regret.");
    field("comparisons", comparisons, "Variants of a pipeline, run side by side.");
  }
  // Every run that a check names exists.
  void Check(config::Problems& problems) const;
};

}  // namespace tidemill::cli

template <>
struct tidemill::config::EnumNames<tidemill::cli::JudgedModel> {
  static constexpr std::pair<tidemill::cli::JudgedModel, std::string_view> kNames[] = {
      {tidemill::cli::JudgedModel::kActive, "active"},
      {tidemill::cli::JudgedModel::kFirst, "first"},
      {tidemill::cli::JudgedModel::kLast, "last"}};
};

template <>
struct tidemill::config::EnumNames<tidemill::cli::JudgedWindows> {
  static constexpr std::pair<tidemill::cli::JudgedWindows, std::string_view> kNames[] = {
      {tidemill::cli::JudgedWindows::kActive, "active"},
      {tidemill::cli::JudgedWindows::kAfterFirst, "after_first"}};
};
