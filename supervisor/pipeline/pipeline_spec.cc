#include "supervisor/pipeline/pipeline_spec.h"

#include <cmath>
#include <string_view>
#include <variant>

#include "fmt/format.h"

#include "base/times/time_zone.h"
#include "config/values/clock.h"
#include "config/values/open_value.h"

TIDEMILL_CONFIG_TYPE(tidemill::supervisor::PipelineSpec);

namespace tidemill::supervisor {
namespace {

// A zone that is unknown is a problem of the dataset alone.
std::string ZoneOf(const storage::DatasetSpec& dataset) {
  const std::string& zone = dataset.event_time.time_zone;
  return TimeZone::Create(zone).ok() ? zone : "UTC";
}

std::string ZoneOf(const PipelineSpec& spec, const FindDataset& registered,
                   const std::string& name) {
  const auto found = spec.datasets.find(name);
  if (found == spec.datasets.end()) return "UTC";
  if (found->second) return ZoneOf(*found->second);
  const auto known = registered ? registered(name) : std::nullopt;
  return known ? ZoneOf(*known) : "UTC";
}

template <typename Section>
void SetClock(std::string_view path, Section& section, const std::string& zone,
              config::Problems& problems) {
  const config::Problems::Scope scope(problems, path);
  config::PutOnClock(section, zone, problems);
}

// A measure of the pipeline that models can be compared by.
bool ComparesModels(const evaluator::Measure& measure) {
  return measure.HasValue() && !measure.AsksForContributions();
}

}  // namespace

std::optional<double> PromoteSpec::Margin() const {
  double margin = 0;
  if (by.is_list || by.scalars.size() != 1) return std::nullopt;
  const auto mismatch = config::ReadOpen(by.scalars.front(), margin);
  return !mismatch && std::isfinite(margin) ? std::optional(margin) : std::nullopt;
}

void PromoteSpec::Check(config::Problems& problems) const {
  const bool is_interval = by == PromoteSpec().by;
  const std::optional<double> margin = Margin();
  if (!is_interval && (!margin || *margin < 0)) {
    problems.Add("by", "is neither `interval` nor a number that is not negative",
                 "write by: interval, or a number such as by: 0.01");
  }
  if (when == PromoteWhen::kBetter) return;
  if (!is_interval || !on.empty()) {
    problems.Add(is_interval ? "on" : "by", "counts only with `when: better`",
                 "add when: better, or leave it out");
  }
}

void PipelineSpec::CheckPromotion(config::Problems& problems) const {
  if (promote.when != PromoteWhen::kBetter) return;
  if (evaluation.empty()) {
    problems.Add("promote.when", "is `better`, but the pipeline has no `evaluation` to say so",
                 "add one, or write `when: always`");
    return;
  }
  const auto found = PromotionMeasureOf(*this);
  if (!found) {
    problems.Add(promote.on.empty() ? "promote" : "promote.on",
                 promote.on.empty()
                     ? "finds no measure in the first evaluation that compares models"
                     : fmt::format("is '{}', which no evaluation has", promote.on),
                 "name a measure with one number, such as accuracy, and not a plug-in");
    return;
  }
  const evaluator::EvaluationSpec& chosen = evaluation[found->evaluation];
  if (!promote.Margin() && chosen.bootstrap.replicates == 0) {
    problems.Add("promote.by", "is `interval`, but the evaluation draws none (`replicates: 0`)",
                 "write a number, or let `bootstrap` draw");
  }
  if (chosen.dataset == preprocess.dataset &&
      std::holds_alternative<evaluator::Whole>(chosen.windows)) {
    problems.Add(
        "promote.when",
        "compares models on the whole dataset that they are trained on, where no window is "
        "later than their trainings",
        "use `windows: {type: between_triggers}`, or name a measure of another evaluation");
  }
}

std::optional<PromotionMeasure> PromotionMeasureOf(const PipelineSpec& spec) {
  const std::string& on = spec.promote.on;
  for (size_t i = 0; i < spec.evaluation.size(); ++i) {
    for (const evaluator::MeasureSpec& measure : spec.evaluation[i].measures) {
      if (ComparesModels(*measure) && (on.empty() || measure->Name() == on)) {
        return PromotionMeasure{.evaluation = i, .measure = &*measure};
      }
    }
    if (on.empty()) break;
  }
  return std::nullopt;
}

void SetClocks(PipelineSpec& spec, const FindDataset& registered, config::Problems& problems) {
  for (auto& [name, dataset] : spec.datasets) {
    if (dataset) SetClock("datasets." + name, *dataset, ZoneOf(*dataset), problems);
  }
  for (size_t i = 0; i < spec.evaluation.size(); ++i) {
    SetClock(fmt::format("evaluation[{}]", i), spec.evaluation[i],
             ZoneOf(spec, registered, spec.evaluation[i].dataset), problems);
  }
  const std::string zone = ZoneOf(spec, registered, spec.preprocess.dataset);
  SetClock("replay", spec.replay, zone, problems);
  SetClock("preprocess.graph", spec.preprocess.graph, zone, problems);
  SetClock("trigger", spec.trigger, zone, problems);
  const auto& [from, to] = spec.replay;
  if (from && to && *from >= *to) {
    problems.Add("replay.to", "is not after `from`", "exchange them");
  }
}

}  // namespace tidemill::supervisor
