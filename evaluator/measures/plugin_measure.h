// A user's measure, in a file that the pipeline names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/named_files.h"
#include "evaluator/measures/contributed_sums.h"
#include "evaluator/measures/measure_process.h"
#include "evaluator/measures/measures.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::evaluator {

// The plug-in declared at submission what it measures and what it needs; see
// docs/formats/plugin_protocol.md, "Measures".
struct PluginMeasure : plugin::PluginUse {
  static constexpr std::string_view kType = "plugin";
  static constexpr std::string_view kDoc =
      "A measure of your own, in Python or C++. It runs in its own process, without access to the "
      "network, and cannot start programs.";

  std::string name;
  // Made by Open(); not part of the spec. Copies share it.
  std::shared_ptr<MeasureProcess> process = {};

  void Fields(auto&& field) {
    PluginUse::Fields(field);
    field(
        "name", name,
        "The name in results; without it, that of the plug-in in small letters: cost_per_mistake.",
        config::Limits{.example = "cost"});
  }
  // Notes a name that is not valid, and one that a built-in measure has.
  void Check(config::Problems& problems) const;

  std::string Name() const;
  std::optional<bool> OfClasses() const;
  Needs WhatItNeeds() const;
  Pooling HowToPool() const;
  bool LowerIsBetter() const;
  std::string Unit() const;
  std::unique_ptr<Accumulator> NewAccumulator() const;
  std::unique_ptr<ValueSeries> NewSeries() const;

  // As in Measure.
  void TakeFiles(config::NamedFiles& beside, config::Problems& problems);
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

template <>
class MeasureOf<PluginMeasure> final : public MeasureBase<PluginMeasure> {
 public:
  // A plug-in's name contains no settings.
  bool TakeName(std::string_view /*name*/) override { return false; }
  std::optional<bool> IsOfClasses() const override { return spec_.OfClasses(); }
  evaluator::Needs Needs() const override { return spec_.WhatItNeeds(); }
  evaluator::Pooling Pooling() const override { return spec_.HowToPool(); }
  ValueRange Range() const override { return ValueRange::kAny; }
  bool LowerIsBetter() const override { return spec_.LowerIsBetter(); }
  std::string Unit() const override { return spec_.Unit(); }
  std::unique_ptr<Accumulator> NewAccumulator() const override { return spec_.NewAccumulator(); }
  std::unique_ptr<ValueSeries> NewSeries() const override { return spec_.NewSeries(); }
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override {
    spec_.TakeFiles(files, problems);
  }
  std::string RunsWith() const override { return spec_.RunsWith(); }
  bool AsksForContributions() const override { return true; }
  void Open() override { spec_.Open(); }
  absl::StatusOr<ContributedBlock> Contribute(const Outcomes& block) const override {
    return spec_.Contribute(block);
  }
  absl::Status TakeFault() const override { return spec_.TakeFault(); }
};

}  // namespace tidemill::evaluator
