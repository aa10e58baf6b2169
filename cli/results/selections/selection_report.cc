#include "cli/results/selections/selection_report.h"

#include <algorithm>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/results/selections/run_record.h"
#include "cli/terminal/text.h"
#include "config/config.h"
#include "selector/client/selector_client.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::cli {
namespace {

constexpr int64_t kBarWidth = 30;
// Classes of a table; the others are added up.
constexpr int kShownClasses = 30;

std::string Bar(int64_t count, int64_t most) {
  if (count == 0 || most == 0) return "";
  return std::string(static_cast<size_t>(std::max<int64_t>(1, count * kBarWidth / most)), '#');
}

std::string Percent(int64_t part, int64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

// Entry: a message with class_label and is_rest.
template <typename Entry>
std::string NameOfClass(const Entry& entry, const std::vector<std::string>& classes) {
  if (entry.is_rest()) return "others";
  if (!entry.has_class_label()) return "none";
  const auto label = static_cast<size_t>(entry.class_label());
  if (label < classes.size()) return Printable(classes[label]);
  return std::to_string(entry.class_label());
}

// Where an interval begins, in whole minutes where these tell intervals apart.
template <typename Entry>
std::string BeginOf(const Entry& entry) {
  constexpr int64_t kMinute = 60'000'000;
  const bool is_long = entry.to() - entry.from() > 2 * kMinute;
  return FormatTimestampShort({is_long ? entry.from() / kMinute * kMinute : entry.from()});
}

std::string RoundNumber(double number) { return WithThousands(std::llround(number)); }

std::string DescribeDownsampling(const supervisor::v1::GetRunResponse& run) {
  Table table({"TRIGGER", "DOWNSAMPLING", "SAMPLES", "TRAINED ON", "SCORING SECONDS"});
  bool has_any = false;
  for (const supervisor::v1::Trigger& trigger : run.triggers()) {
    if (!trigger.result().has_downsampling()) continue;
    has_any = true;
    const rpc::v1::DownsamplingSummary& summary = trigger.result().downsampling();
    table.Add({std::to_string(trigger.number()), summary.method(),
               WithThousands(summary.num_samples()),
               fmt::format("{:.1f} %", 100 * ShareTrained(summary)),
               fmt::format("{:.2f}", summary.scoring_seconds() + summary.auxiliary_seconds())});
  }
  return has_any ? "\n" + table.ToString() : "";
}

}  // namespace

double ShareTrained(const rpc::v1::DownsamplingSummary& summary) {
  double chosen = 0;
  for (const auto& epoch : summary.epochs()) chosen += static_cast<double>(epoch.num_chosen());
  const double all = static_cast<double>(summary.num_samples()) * summary.epochs_size();
  return all == 0 ? 1 : chosen / all;
}

absl::StatusOr<std::vector<selector::v1::TrainingSet>> FetchTrainingSets(const Session& session,
                                                                         int64_t run) {
  return session.Ask(&selector::SelectorClient::ListTrainingSets, RunId{run});
}

std::vector<std::string> ClassNamesOf(const supervisor::v1::GetRunResponse& run) {
  const auto pipeline =
      config::ReadKept<supervisor::PipelineSpec>(run.pipeline_resolved(), "pipeline");
  if (!pipeline.ok()) return {};
  const auto datasets = DatasetsOf(run);
  const auto found = datasets.find(pipeline->preprocess.dataset);
  if (found == datasets.end()) return {};
  const auto dataset = config::ReadKept<storage::DatasetSpec>(found->second.spec(), "dataset");
  return dataset.ok() ? storage::EffectiveLabel(*dataset).classes : std::vector<std::string>();
}

std::string DescribeSelections(const supervisor::v1::GetRunResponse& run,
                               const std::vector<selector::v1::TrainingSet>& sets) {
  Table table({"TRIGGER", "CANDIDATES", "CHOSEN", "SHARED", "FRESH", "EFFECTIVE", "POLICY"});
  for (const selector::v1::TrainingSet& set : sets) {
    const selector::v1::SelectionSummary& summary = set.summary();
    const bool known = set.has_summary();
    const bool has_previous = known && summary.num_previous() > 0;
    table.Add(
        {std::to_string(set.trigger()), WithThousands(set.num_candidates()),
         WithThousands(set.num_samples()), has_previous ? WithThousands(summary.num_shared()) : "-",
         known ? WithThousands(summary.num_fresh()) : "-",
         known ? RoundNumber(summary.effective_size()) : "-", known ? summary.policy() : "-"});
  }
  return table.ToString() + DescribeDownsampling(run);
}

std::string DescribeSelection(const selector::v1::TrainingSet& set,
                              const std::vector<std::string>& classes) {
  std::string text =
      fmt::format("trigger {} of run {}: {} of {} candidates chosen{}\n", set.trigger(),
                  set.run_id(), WithThousands(set.num_samples()),
                  WithThousands(set.num_candidates()), set.removed() ? ", removed since" : "");
  if (!set.has_summary()) return text + "it was sealed before Tidemill wrote summaries\n";
  const selector::v1::SelectionSummary& summary = set.summary();
  text += fmt::format("policy {}, {:.2f} s\n", summary.policy(), summary.seconds());
  if (summary.num_previous() > 0) {
    text += fmt::format("{} were among the {} of the training set before it ({})\n",
                        WithThousands(summary.num_shared()), WithThousands(summary.num_previous()),
                        Percent(summary.num_shared(), summary.num_previous()));
  }
  text += fmt::format("{} were never chosen before\n", WithThousands(summary.num_fresh()));
  if (set.weighted()) {
    text += fmt::format("worth as much as {} samples of equal weight\n",
                        RoundNumber(summary.effective_size()));
  }
  if (summary.num_left_out() > 0) {
    text += fmt::format("{} candidates were left out because nothing is known about them\n",
                        WithThousands(summary.num_left_out()));
  }
  if (summary.has_objective()) text += fmt::format("objective {:.6g}\n", summary.objective());
  for (const std::string& remark : summary.remarks()) text += Printable(remark) + "\n";
  Table by_class({"CLASS", "CANDIDATES", "CHOSEN", "SHARE", ""});
  int64_t most = 0;
  for (const auto& entry : summary.classes()) most = std::max(most, entry.num_chosen());
  for (int i = 0; i < std::min(kShownClasses, summary.classes_size()); ++i) {
    const auto& entry = summary.classes(i);
    by_class.Add({NameOfClass(entry, classes), WithThousands(entry.num_candidates()),
                  WithThousands(entry.num_chosen()), Percent(entry.num_chosen(), set.num_samples()),
                  Bar(entry.num_chosen(), most)});
  }
  text += "\n" + by_class.ToString();
  if (summary.classes_size() > kShownClasses) {
    text += fmt::format("and {} classes more\n", summary.classes_size() - kShownClasses);
  }
  Table by_time({"FROM", "CANDIDATES", "CHOSEN", ""});
  most = 0;
  for (const auto& entry : summary.times()) most = std::max(most, entry.num_chosen());
  for (const auto& entry : summary.times()) {
    by_time.Add({BeginOf(entry), WithThousands(entry.num_candidates()),
                 WithThousands(entry.num_chosen()), Bar(entry.num_chosen(), most)});
  }
  return text + "\n" + by_time.ToString();
}

std::string DescribeComparison(const selector::v1::CompareTrainingSetsResponse& comparison,
                               const std::vector<std::string>& classes) {
  const auto name = [](const selector::v1::TrainingSet& set) {
    return fmt::format("{}/{}", set.run_id(), set.trigger());
  };
  const std::string first = name(comparison.first());
  const std::string second = name(comparison.second());
  const auto add = [](Table& table, const std::string& what, const auto& counts) {
    table.Add({what, WithThousands(counts.num_only_first()), WithThousands(counts.num_both()),
               WithThousands(counts.num_only_second())});
  };
  const std::vector<std::string> sides = {"ONLY IN " + first, "IN BOTH", "ONLY IN " + second};
  Table all({"", sides[0], sides[1], sides[2]});
  add(all, "samples", comparison.counts());
  std::string text = all.ToString();
  if (comparison.first().weighted() || comparison.second().weighted()) {
    Table weights({"SET", "LEAST WEIGHT", "GREATEST", "EFFECTIVE"});
    const auto add_weights = [&](const std::string& set, const auto& of) {
      weights.Add({set, fmt::format("{:.4g}", of.least()), fmt::format("{:.4g}", of.greatest()),
                   RoundNumber(of.effective_size())});
    };
    add_weights(first, comparison.first_weights());
    add_weights(second, comparison.second_weights());
    text += "\n" + weights.ToString();
    text += fmt::format("in both, weights differ by {:.4g} on average\n",
                        comparison.mean_weight_difference());
  }
  Table by_class({"CLASS", sides[0], sides[1], sides[2]});
  for (int i = 0; i < std::min(kShownClasses, comparison.classes_size()); ++i) {
    add(by_class, NameOfClass(comparison.classes(i), classes), comparison.classes(i).counts());
  }
  text += "\n" + by_class.ToString();
  if (comparison.classes_size() > kShownClasses) {
    text += fmt::format("and {} classes more\n", comparison.classes_size() - kShownClasses);
  }
  Table by_time({"FROM", sides[0], sides[1], sides[2]});
  for (const auto& entry : comparison.times()) {
    add(by_time, BeginOf(entry), entry.counts());
  }
  text += "\n" + by_time.ToString();
  if (comparison.num_forgotten() > 0) {
    text += fmt::format(
        "{} samples are no longer in the dataset: they are in the counts above, but in no class "
        "and at no time\n",
        WithThousands(comparison.num_forgotten()));
  }
  return text;
}

}  // namespace tidemill::cli
