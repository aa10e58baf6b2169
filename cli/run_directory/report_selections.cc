#include "cli/run_directory/report_selections.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "nlohmann/json.hpp"

#include "cli/results/selections/selection_report.h"
#include "cli/run_directory/report_data.h"
#include "cli/run_directory/report_tables.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;
// std::nullopt: samples without a class.
using Label = std::optional<int64_t>;

constexpr size_t kShownClasses = 9;

// The classes with the most chosen samples in all sets, in the order of the dataset.
std::vector<Label> ShownClasses(const RunRecord& record) {
  std::map<Label, int64_t> chosen;
  for (const auto& set : record.training_sets) {
    for (const auto& entry : set.summary().classes()) {
      if (entry.is_rest()) continue;
      chosen[entry.has_class_label() ? Label(entry.class_label()) : Label()] += entry.num_chosen();
    }
  }
  std::vector<Label> labels;
  for (const auto& [label, count] : chosen) labels.push_back(label);
  std::stable_sort(labels.begin(), labels.end(),
                   [&](const Label& a, const Label& b) { return chosen.at(a) > chosen.at(b); });
  if (labels.size() > kShownClasses) labels.resize(kShownClasses);
  // Those without a class come last.
  const auto place = [](const Label& label) { return std::pair(!label.has_value(), label); };
  std::ranges::sort(labels, {}, place);
  return labels;
}

// By class as shown; what is left, when there is any, comes last.
ordered_json SharesOf(const selector::v1::TrainingSet& set, const std::vector<Label>& shown,
                      bool with_others) {
  std::vector<int64_t> counts(shown.size());
  int64_t left = set.num_samples();
  for (const auto& entry : set.summary().classes()) {
    if (entry.is_rest()) continue;
    const auto found = std::ranges::find_if(shown, [&](const Label& label) {
      return label.has_value() == entry.has_class_label() &&
             label.value_or(entry.class_label()) == entry.class_label();
    });
    if (found == shown.end()) continue;
    counts[static_cast<size_t>(found - shown.begin())] = entry.num_chosen();
    left -= entry.num_chosen();
  }
  if (with_others) counts.push_back(left);
  const auto all = static_cast<double>(std::max<int64_t>(1, set.num_samples()));
  ordered_json shares = ordered_json::array();
  for (const int64_t count : counts) shares.push_back(Rounded(static_cast<double>(count) / all));
  return shares;
}

bool HasOthers(const RunRecord& record, const std::vector<Label>& shown) {
  return std::ranges::any_of(record.training_sets, [&](const auto& set) {
    return static_cast<size_t>(set.summary().classes_size()) > shown.size();
  });
}

}  // namespace

ordered_json SelectionsOf(const RunRecord& record) {
  const std::vector<std::string> names = ClassNamesOf(record.run);
  const std::vector<Label> shown = ShownClasses(record);
  const bool with_others = HasOthers(record, shown);
  ordered_json classes = ordered_json::array();
  ordered_json numbers = ordered_json::array();
  for (const Label& label : shown) {
    numbers.push_back(label ? ordered_json(*label) : ordered_json(nullptr));
    const bool named = label && static_cast<size_t>(*label) < names.size();
    classes.push_back(!label  ? "none"
                      : named ? names[static_cast<size_t>(*label)]
                              : std::to_string(*label));
  }
  if (with_others) {
    classes.push_back("others");
    numbers.push_back(nullptr);
  }
  ordered_json rows = ordered_json::array();
  for (const auto& set : record.training_sets) {
    if (!set.has_summary() || rows.size() == kMaxListedRows) continue;
    const auto& summary = set.summary();
    rows.push_back(
        {{"trigger", set.trigger()},
         {"policy", summary.policy()},
         {"candidates", set.num_candidates()},
         {"samples", set.num_samples()},
         {"shared", summary.num_shared()},
         {"previous", summary.num_previous()},
         {"fresh", summary.num_fresh()},
         {"effective", Rounded(summary.effective_size())},
         {"seconds", Rounded(summary.seconds())},
         {"remarks", std::vector<std::string>(summary.remarks().begin(), summary.remarks().end())},
         {"shares", SharesOf(set, shown, with_others)}});
  }
  return {{"classes", std::move(classes)},
          {"class_numbers", std::move(numbers)},
          {"total", record.training_sets.size()},
          {"rows", std::move(rows)}};
}

}  // namespace tidemill::cli
