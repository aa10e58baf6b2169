// The file `benchmark.yaml` of one entry of the benchmark suite: its data, the runs of its
// pipelines, the values that they must reach, and the policies that are compared.
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

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/check_spec.h"
#include "cli/bench/comparison_spec.h"
#include "config/config.h"

namespace tidemill::cli {

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
    field("name", name, "Name of the entry, and of its folder.", {.required = true});
    field("domain", domain, "recsys, text, driving, weather, tabular or vision.",
          {.required = true});
    field("description", description, "The task: what the models predict.", {.required = true});
    field("data", data, "The files that it needs from outside.");
    field("prepare", prepare,
          "A program beside this file that makes files in the folder that it is given.");
    field("runs", runs, "Runs of pipelines.");
    field("smoke", smoke, "A short run without data from outside.");
    field("checks", checks, "What the runs must reach.");
    field("sweep", sweep, "Trigger policies, by their regret.");
    field("comparisons", comparisons, "Variants of a pipeline, run side by side.");
  }
  // Something is measured, and every run that a check names exists.
  void Check(config::Problems& problems) const;
};

}  // namespace tidemill::cli
