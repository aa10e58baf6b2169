#include "cli/results/selections/selection_json.h"

#include <utility>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/results/selections/selection_report.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

// {"class": number, "name": string or null}, or {"class": "others"}.
template <typename Entry>
ordered_json ClassToJson(const Entry& entry, const std::vector<std::string>& classes) {
  ordered_json json = {{"class", nullptr}, {"name", nullptr}};
  if (entry.is_rest()) {
    json["class"] = "others";
  } else if (entry.has_class_label()) {
    json["class"] = entry.class_label();
    const auto label = static_cast<size_t>(entry.class_label());
    if (label < classes.size()) json["name"] = classes[label];
  }
  return json;
}

void AddCounts(const selector::v1::CompareTrainingSetsResponse::Counts& counts,
               ordered_json& json) {
  json["only_first"] = counts.num_only_first();
  json["both"] = counts.num_both();
  json["only_second"] = counts.num_only_second();
}

ordered_json WeightsToJson(const selector::v1::CompareTrainingSetsResponse::Weights& weights) {
  return {{"least", weights.least()},
          {"greatest", weights.greatest()},
          {"effective_size", weights.effective_size()}};
}

ordered_json NameToJson(const selector::v1::TrainingSet& set) {
  return {{"run", set.run_id()},
          {"trigger", set.trigger()},
          {"samples", set.num_samples()},
          {"digest", set.digest()}};
}

}  // namespace

ordered_json SelectionToJson(const selector::v1::TrainingSet& set,
                             const std::vector<std::string>& classes) {
  ordered_json json = {{"run", set.run_id()},
                       {"trigger", set.trigger()},
                       {"removed", set.removed()},
                       {"candidates", set.num_candidates()},
                       {"samples", set.num_samples()}};
  if (!set.has_summary()) return json;
  const selector::v1::SelectionSummary& summary = set.summary();
  json["policy"] = summary.policy();
  json["shared"] = summary.num_shared();
  json["previous"] = summary.num_previous();
  json["fresh"] = summary.num_fresh();
  json["effective_size"] = summary.effective_size();
  json["left_out"] = summary.num_left_out();
  json["objective"] = summary.has_objective() ? ordered_json(summary.objective()) : nullptr;
  json["seconds"] = summary.seconds();
  json["remarks"] = std::vector<std::string>(summary.remarks().begin(), summary.remarks().end());
  json["classes"] = ordered_json::array();
  for (const auto& entry : summary.classes()) {
    ordered_json of = ClassToJson(entry, classes);
    of["candidates"] = entry.num_candidates();
    of["chosen"] = entry.num_chosen();
    json["classes"].push_back(std::move(of));
  }
  json["times"] = ordered_json::array();
  for (const auto& entry : summary.times()) {
    json["times"].push_back({{"from", FormatTimestamp({entry.from()})},
                             {"to", FormatTimestamp({entry.to()})},
                             {"candidates", entry.num_candidates()},
                             {"chosen", entry.num_chosen()}});
  }
  return json;
}

ordered_json ComparisonToJson(const selector::v1::CompareTrainingSetsResponse& comparison,
                              const std::vector<std::string>& classes) {
  ordered_json json = {{"first", NameToJson(comparison.first())},
                       {"second", NameToJson(comparison.second())}};
  AddCounts(comparison.counts(), json);
  json["forgotten"] = comparison.num_forgotten();
  json["classes"] = ordered_json::array();
  for (const auto& entry : comparison.classes()) {
    ordered_json of = ClassToJson(entry, classes);
    AddCounts(entry.counts(), of);
    json["classes"].push_back(std::move(of));
  }
  json["times"] = ordered_json::array();
  for (const auto& entry : comparison.times()) {
    ordered_json of = {{"from", FormatTimestamp({entry.from()})},
                       {"to", FormatTimestamp({entry.to()})}};
    AddCounts(entry.counts(), of);
    json["times"].push_back(std::move(of));
  }
  json["weights"] = {{"first", WeightsToJson(comparison.first_weights())},
                     {"second", WeightsToJson(comparison.second_weights())},
                     {"mean_difference", comparison.mean_weight_difference()}};
  return json;
}

ordered_json DownsamplingToJson(const rpc::v1::DownsamplingSummary& summary) {
  ordered_json json = {{"method", summary.method()},
                       {"samples", summary.num_samples()},
                       {"share_trained", ShareTrained(summary)},
                       {"scoring_seconds", summary.scoring_seconds()},
                       {"auxiliary_seconds", summary.auxiliary_seconds()},
                       {"not_finite", summary.num_not_finite()},
                       {"epochs", ordered_json::array()}};
  for (const auto& epoch : summary.epochs()) {
    json["epochs"].push_back({{"chosen", epoch.num_chosen()},
                              {"effective_size", epoch.effective_size()},
                              {"scored", epoch.num_scored()}});
  }
  return json;
}

}  // namespace tidemill::cli
