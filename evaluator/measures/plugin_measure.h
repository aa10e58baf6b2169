// A measure of the user's own, in a file that the pipeline names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/named_files.h"
#include "evaluator/measures/contributed_sums.h"
#include "evaluator/measures/measure.h"
#include "evaluator/measures/measure_process.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::evaluator {

// What it needs and what it is of, it said at submission; see docs/formats/plugin_protocol.md,
// "Measures".
struct PluginMeasure : plugin::PluginUse {
  static constexpr std::string_view kType = "plugin";
  static constexpr std::string_view kDoc =
      "A measure of your own, in Python or C++. It runs in a process of its own, which sees no "
      "network and starts no programs.";

  std::string name;
  // Not part of the spec: what Open() made. Copies share it.
  std::shared_ptr<MeasureProcess> process = {};

  void Fields(auto&& field) {
    PluginUse::Fields(field);
    field(
        "name", name,
        "The name in results; without it, that of the plug-in in small letters: cost_per_mistake.",
        config::Limits{.example = "cost"});
  }
  // Notes a name that is none, and one that a measure of Tidemill has.
  void Check(config::Problems& problems) const;

  std::string Name() const;
  // No settings follow from a name.
  bool TakeName(std::string_view) const { return false; }
  std::optional<bool> OfClasses() const;
  Needs WhatItNeeds() const;
  Pooling HowToPool() const;
  bool LowerIsBetter() const;
  std::string Unit() const;
  std::unique_ptr<Accumulator> NewAccumulator() const;
  std::unique_ptr<ValueSeries> NewSeries() const;

  // As in Measure.
  void TakeFiles(config::NamedFiles& files, config::Problems& problems);
  std::string RunsWith() const { return runs_with.empty() ? use : runs_with; }
  void Open();
  absl::StatusOr<ContributedBlock> Contribute(const Outcomes& block) const;
  absl::Status TakeFault() const;

  friend bool operator==(const PluginMeasure& a, const PluginMeasure& b) {
    return a.name == b.name &&
           static_cast<const plugin::PluginUse&>(a) == static_cast<const plugin::PluginUse&>(b);
  }

 private:
  bool IsMean() const;
  SumsToValue Rule() const { return {Name(), IsMean(), process}; }
};

}  // namespace tidemill::evaluator
