#include "evaluator/measures/plugin_measure.h"

#include <algorithm>
#include <cctype>

#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "evaluator/measures/measures.h"
#include "plugin/process/taken_plugin.h"
#include "plugin/spec/json_fields.h"

namespace tidemill::evaluator {
namespace {

using nlohmann::json;
using plugin::TextAt;

constexpr size_t kMaxNameBytes = 60;
constexpr size_t kMaxUnitBytes = 20;

bool IsOneOf(const std::string& text, std::string_view a, std::string_view b) {
  return text == a || text == b;
}

// Whether the answer to `create` makes sense.
absl::Status CheckCreated(const json& created) {
  if (!created.is_object()) return InvalidArgument("it returned no declaration");
  if (!IsOneOf(TextAt(created, "needs"), "predictions", "probabilities")) {
    return InvalidArgument("needs: it is neither predictions nor probabilities");
  }
  if (!IsOneOf(TextAt(created, "of"), "classes", "values")) {
    return InvalidArgument("of: it is neither classes nor values");
  }
  if (TextAt(created, "of") == "values" && TextAt(created, "needs") == "probabilities") {
    return InvalidArgument("needs: real values have no probabilities");
  }
  if (!IsOneOf(TextAt(created, "value"), "mean", "combined")) {
    return InvalidArgument("value: it is neither mean nor combined");
  }
  const auto better = created.find("higher_is_better");
  if (better == created.end() || !better->is_boolean()) {
    return InvalidArgument("higher_is_better: it must be true or false");
  }
  return absl::OkStatus();
}

// Empty before the file was loaded.
json SaidBy(const plugin::PluginUse& use) {
  auto created = plugin::CreatedOf(use);
  return created.ok() && CheckCreated(*created).ok() ? *std::move(created) : json::object();
}

// "CostPerMistake" becomes "cost_per_mistake".
std::string InSmallLetters(std::string_view name) {
  std::string small;
  bool after_small = false;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isupper(letter) != 0 && after_small) small += '_';
    after_small = std::islower(letter) != 0 || std::isdigit(letter) != 0;
    small += static_cast<char>(std::tolower(letter));
  }
  return small;
}

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

void PluginMeasure::Check(config::Problems& problems) const {
  PluginUse::Check(problems);
  const std::string own = Name();
  if (!name.empty() && !IsName(name)) {
    problems.Add("name", "'" + Printable(name) + "' is not a valid name for a measure",
                 "up to 60 small letters, digits and underscores");
  } else if (name.empty() && !use.empty() && !IsName(own)) {
    problems.Add("name",
                 "is missing, and the name of the plug-in is not a valid name for a measure",
                 "give it one of up to 60 small letters, digits and underscores");
  } else if (MeasureNamed(own) != nullptr) {
    problems.Add("name", own + " is a measure of Tidemill", "give yours another `name`");
  }
}

std::string PluginMeasure::Name() const {
  return name.empty() ? InSmallLetters(PluginUse::name()) : name;
}

std::optional<bool> PluginMeasure::OfClasses() const {
  const std::string of = TextAt(SaidBy(*this), "of");
  return of.empty() ? std::nullopt : std::optional(of == "classes");
}

Needs PluginMeasure::WhatItNeeds() const {
  return TextAt(SaidBy(*this), "needs") == "probabilities" ? Needs::kProbabilities
                                                           : Needs::kPredictions;
}

bool PluginMeasure::IsMean() const { return TextAt(SaidBy(*this), "value") == "mean"; }

Pooling PluginMeasure::HowToPool() const {
  return IsMean() ? Pooling::kMeanOfSamples : Pooling::kOfSums;
}

bool PluginMeasure::LowerIsBetter() const {
  const json said = SaidBy(*this);
  return !said.empty() && !plugin::BoolAt(said, "higher_is_better");
}

std::string PluginMeasure::Unit() const {
  return Printable(TextAt(SaidBy(*this), "unit").substr(0, kMaxUnitBytes));
}

std::unique_ptr<Accumulator> PluginMeasure::NewAccumulator() const {
  return NewContributedAccumulator(Rule());
}

std::unique_ptr<ValueSeries> PluginMeasure::NewSeries() const {
  return NewContributedSeries(Rule());
}

void PluginMeasure::TakeFiles(config::NamedFiles& beside, config::Problems& problems) {
  plugin::TakePlugin(*this, "measure", beside, problems, CheckCreated);
}

void PluginMeasure::Open() { process = std::make_shared<MeasureProcess>(*this); }

absl::StatusOr<ContributedBlock> PluginMeasure::Contribute(const Outcomes& block) const {
  if (process == nullptr) return FailedPrecondition("{}: it was not opened", use);
  return process->Contribute(block);
}

absl::Status PluginMeasure::TakeFault() const {
  return process == nullptr ? absl::OkStatus() : process->TakeNoted();
}

TIDEMILL_PART(Measure, MeasureOf, PluginMeasure)

}  // namespace tidemill::evaluator
