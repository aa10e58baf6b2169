#include "cli/run_directory/backtest_report.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "base/time.h"
#include "base/version.h"
#include "cli/results/left_out.h"
#include "cli/results/result_tables.h"
#include "cli/run_directory/backtest_assets.h"
#include "cli/run_directory/page.h"
#include "cli/run_directory/report_data.h"
#include "cli/terminal/text.h"
#include "results/known_measures.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

template <typename Value>
ordered_json Known(bool known, const Value& value) {
  return known ? ordered_json(value) : ordered_json(nullptr);
}

bool HasMatrix(const BacktestFinal& final) { return final.run_id() != 0; }

bool HasFalseAlarms(const BacktestFinal& final) {
  return std::any_of(final.results().begin(), final.results().end(),
                     [](const auto& result) { return result.has_num_false_alarms(); });
}

bool LowerIsBetter(const BacktestFinal& final) {
  return final.has_lower_is_better() ? final.lower_is_better()
                                     : results::LowerIsBetter(final.measure());
}

bool HasInterval(const v1::BacktestResult& result) { return result.has_low() && result.has_high(); }

// Whether chance can tell them apart: their intervals do not overlap.
bool Differ(const v1::BacktestResult& a, const v1::BacktestResult& b) {
  return a.low() > b.high() || b.low() > a.high();
}

// The one with the best value; nullptr without any.
const v1::BacktestResult* BestOf(const BacktestFinal& final) {
  const bool lower = LowerIsBetter(final);
  const v1::BacktestResult* best = nullptr;
  for (const v1::BacktestResult& result : final.results()) {
    if (!result.has_value()) continue;
    const bool better = best == nullptr ||
                        (lower ? result.value() < best->value() : result.value() > best->value());
    if (better) best = &result;
  }
  return best;
}

// How the best value compares with the others: chance alone may cause a difference that is not
// significant.
std::string WorthOf(const v1::BacktestResult& best, const BacktestFinal& final) {
  std::vector<std::string> alike;
  int num_others = 0;
  for (const v1::BacktestResult& result : final.results()) {
    if (&result == &best || !result.has_value()) continue;
    ++num_others;
    if (result.num_measured() != best.num_measured()) {
      return "not over the same samples, so the values cannot be compared";
    }
    if (!HasInterval(best) || !HasInterval(result)) {
      return "without intervals, the difference may be chance";
    }
    if (!Differ(best, result)) alike.push_back(Printable(result.name()));
  }
  if (num_others == 0) return "";
  if (alike.empty()) return "better than all others beyond chance";
  return fmt::format("no difference beyond chance to {}", fmt::join(alike, ", "));
}

// How the values of the matrix are shown.
ResultTable StyleOf(const BacktestFinal& final) {
  ResultTable table{.dataset = final.dataset(), .measure = final.measure()};
  table.lower_is_better = LowerIsBetter(final);
  table.share = results::IsShare(final.measure());
  for (const v1::BacktestResult& result : final.results()) {
    if (result.has_value() && (result.value() < 0 || result.value() > 1)) table.share = false;
  }
  return table;
}

std::string Upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// "0.7755 [0.7531, 0.7968]", "0.7755", "-".
std::string Valued(const v1::BacktestResult& result) {
  if (!result.has_value()) return Measure(std::nullopt);
  if (!HasInterval(result)) return Measure(result.value());
  return fmt::format("{} [{}, {}]", Measure(result.value()), Measure(result.low()),
                     Measure(result.high()));
}

std::string DescribeResults(const BacktestFinal& final) {
  const bool alarms = HasFalseAlarms(final);
  std::vector<std::string> header = {"POLICY", "TRIGGERS", "SAMPLES", "TRAINING"};
  if (HasMatrix(final)) header.push_back(Upper(Printable(final.measure())));
  if (alarms) header.emplace_back("FALSE ALARMS");
  header.insert(header.end(), {"MEAN DELAY", "LONGEST", "LEFT OVER"});
  Table table(std::move(header));
  const auto seconds = [](bool known, double value) { return known ? Elapsed(value) : "-"; };
  for (const v1::BacktestResult& result : final.results()) {
    std::vector<std::string> row = {
        Printable(result.name()), WithThousands(result.num_triggers()),
        WithThousands(result.num_selected()),
        seconds(result.has_training_seconds(), result.training_seconds())};
    if (HasMatrix(final)) {
      row.push_back(Valued(result));
    }
    if (alarms) {
      row.push_back(result.has_num_false_alarms() ? fmt::format("{:.4g}", result.num_false_alarms())
                                                  : "-");
    }
    row.insert(row.end(),
               {seconds(result.has_mean_latency_seconds(), result.mean_latency_seconds()),
                seconds(result.has_longest_latency_seconds(), result.longest_latency_seconds()),
                WithThousands(result.num_leftover())});
    table.Add(std::move(row));
  }
  return table.ToString();
}

std::string DescribeForecast(const BacktestFinal& final) {
  if (final.num_trainings() == 0) {
    return "No training of this pipeline has completed, so training times cannot be forecast.\n";
  }
  return fmt::format(
      "Training is forecast from {} completed trainings: {:.3g} s and {:.3g} s for each 1,000 "
      "samples.\n",
      WithThousands(final.num_trainings()), final.base_seconds(),
      1000 * final.seconds_per_sample());
}

std::string DescribeMatrix(const BacktestFinal& final) {
  if (!HasMatrix(final)) {
    return "No run of this pipeline has evaluated its models by windows of time, so the value of "
           "the models is\nnot known. Name a run of another pipeline on the same dataset with "
           "--run.\n";
  }
  std::set<int64_t> measured;
  int64_t left_out = 0;
  for (const v1::BacktestResult& result : final.results()) {
    if (!result.has_value()) continue;
    measured.insert(result.num_measured());
    left_out = std::max(left_out, result.num_windows_left_out());
  }
  if (measured.empty()) {
    return fmt::format("Run {} has no model that any of these policies could have had.\n",
                       final.run_id());
  }
  std::string text = fmt::format(
      "{} on {} comes from the models of run {}, over {} samples. Each window uses the newest "
      "model\nthat the policy could have had.\n",
      Printable(final.measure()), Printable(final.dataset()), final.run_id(),
      measured.size() > 1 ? fmt::format("{} to {}", WithThousands(*measured.begin()),
                                        WithThousands(*measured.rbegin()))
                          : WithThousands(*measured.begin()));
  if (measured.size() > 1) {
    text += fmt::format(
        "Some policies have no model in some windows, of which up to {} are left out. So these "
        "means are\nnot over the same samples.\n",
        WithThousands(left_out));
  }
  return text;
}

// Which policies could not decide everywhere.
std::string DescribeFaults(const BacktestFinal& final) {
  std::string text;
  for (const v1::BacktestResult& result : final.results()) {
    if (result.num_faults() == 0) continue;
    text += fmt::format(
        "{}: {} of {} decisions were made as `on_fault` says, because its plug-in failed: {}\n",
        Printable(result.name()), WithThousands(result.num_faults()),
        WithThousands(result.num_decisions()), Printable(result.first_fault()));
  }
  return text;
}

// The value of asking the models of a run.
std::string DescribeAsked(const BacktestFinal& final) {
  if (!final.asks_models()) return "";
  std::map<std::string, std::vector<std::string>> policies;  // By what differs.
  for (const v1::BacktestResult& result : final.results()) {
    for (const std::string& difference : result.differences()) {
      policies[Printable(difference)].push_back(Printable(result.name()));
    }
  }
  std::string text = fmt::format("Policies asked the models of run {}.", final.run_id());
  if (policies.empty()) return text + " Runs of these policies would have had the same models.\n";
  text += " Runs of some policies could have had others:\n";
  for (const auto& [difference, names] : policies) {
    text += fmt::format("  {}: {}\n", fmt::join(names, ", "), difference);
  }
  return text;
}

std::string DescribeBest(const BacktestFinal& final) {
  const v1::BacktestResult* best = BestOf(final);
  const std::string worth = best == nullptr ? "" : WorthOf(*best, final);
  if (worth.empty()) return "";
  return fmt::format("{} for {}: {}.\n", LowerIsBetter(final) ? "Lowest" : "Highest",
                     Printable(best->name()), worth);
}

std::string TimeOfCut(const rpc::v1::Cut& cut) { return FormatTimestamp({cut.event_time()}); }

// One entry for each window of the matrix. A model is named by its trigger in the run.
ordered_json WindowsToJson(const BacktestFinal& final, const v1::BacktestResult& result) {
  std::map<int64_t, std::string> trained_to;
  for (const auto& model : final.models()) trained_to[model.trigger()] = TimeOfCut(model.at());
  ordered_json windows = ordered_json::array();
  const int size = std::min(final.windows_size(), result.window_values_size());
  for (int i = 0; i < size; ++i) {
    const double value = result.window_values(i);
    const int64_t model = result.window_models(i);
    const int64_t trigger = result.window_triggers(i);
    windows.push_back({{"from", TimeOfCut(final.windows(i).from())},
                       {"to", TimeOfCut(final.windows(i).to())},
                       {"samples", result.window_samples(i)},
                       {"value", Known(!std::isnan(value), value)},
                       {"model", Known(model != 0, model)},
                       {"trained_to", Known(model != 0, trained_to[model])},
                       {"trigger", Known(trigger != 0, trigger)}});
  }
  return windows;
}

// Whether its models were asked, and whether a run of the policy would have had the same.
ordered_json AskedToJson(const v1::BacktestResult& result) {
  if (!result.has_num_triggers_between_models()) return nullptr;
  return {{"exact", result.differences().empty()},
          {"triggers_between_models", result.num_triggers_between_models()},
          {"differences", result.differences()}};
}

ordered_json ResultToJson(const v1::BacktestResult& result, ordered_json triggers) {
  return {{"name", result.name()},
          {"policy", result.policy()},
          {"num_triggers", result.num_triggers()},
          {"num_decisions", result.num_decisions()},
          {"failed_decisions", result.num_faults()},
          {"first_fault", Known(result.num_faults() > 0, result.first_fault())},
          {"samples", result.num_selected()},
          {"leftover", result.num_leftover()},
          {"training_seconds", Known(result.has_training_seconds(), result.training_seconds())},
          {"mean_delay_seconds",
           Known(result.has_mean_latency_seconds(), result.mean_latency_seconds())},
          {"longest_delay_seconds",
           Known(result.has_longest_latency_seconds(), result.longest_latency_seconds())},
          {"own", result.own()},
          {"value", Known(result.has_value(), result.value())},
          {"low", Known(result.has_low(), result.low())},
          {"high", Known(result.has_high(), result.high())},
          {"measured_samples", result.num_measured()},
          {"windows_left_out", result.num_windows_left_out()},
          {"false_alarms", Known(result.has_num_false_alarms(), result.num_false_alarms())},
          {"models", AskedToJson(result)},
          {"triggers", std::move(triggers)}};
}

// All but the results.
ordered_json SourcesToJson(const BacktestFinal& final) {
  const ResultTable style = StyleOf(final);
  return {{"samples", final.num_samples()},
          {"unlabelled", final.num_unlabelled()},
          {"selection_filters", final.selection_filters()},
          {"forecast",
           {{"trainings", final.num_trainings()},
            {"base_seconds", final.base_seconds()},
            {"seconds_per_sample", final.seconds_per_sample()}}},
          {"matrix", HasMatrix(final) ? ordered_json({{"run", final.run_id()},
                                                      {"dataset", final.dataset()},
                                                      {"measure", final.measure()},
                                                      {"lower_is_better", style.lower_is_better},
                                                      {"models_asked", final.asks_models()}})
                                      : ordered_json(nullptr)},
          {"own_left_out", final.own_left_out()},
          {"not_taken", NotTakenToJson(final.not_taken())},
          {"shuffles", final.num_shuffles()}};
}

// Times in milliseconds, as pages have them.
ordered_json DrawnTriggers(const v1::BacktestResult& result) {
  ordered_json times = ordered_json::array();
  const auto size = static_cast<size_t>(result.triggers_size());
  const size_t kept = std::min(size, kMaxPoints);
  for (size_t i = 1; i <= kept; ++i) {
    times.push_back(result.triggers(static_cast<int>(i * size / kept - 1)).at().event_time() /
                    1000);
  }
  return times;
}

std::string Headline(const BacktestFinal& final) {
  const v1::BacktestResult* best = BestOf(final);
  std::string tried =
      fmt::format("{} {} tried on {} samples of history, without training.",
                  final.results_size() == 1 ? "One" : WithThousands(final.results_size()),
                  final.results_size() == 1 ? "policy was" : "policies were",
                  WithThousands(final.num_samples()));
  if (best == nullptr) return tried;
  const ResultTable style = StyleOf(final);
  const std::string worth = WorthOf(*best, final);
  return fmt::format(
      "{} By the models of run {}, {} would have had the {} {}: {} over {} samples{}, for {} "
      "triggers and {} samples trained on.",
      tried, final.run_id(), best->name(), LowerIsBetter(final) ? "lowest" : "highest",
      final.measure(), ShowValue(style, best->value()), WithThousands(best->num_measured()),
      worth.empty() ? "" : " (" + worth + ")", WithThousands(best->num_triggers()),
      WithThousands(best->num_selected()));
}

}  // namespace

std::string DescribeBacktest(const BacktestFinal& final) {
  std::string text = DescribeResults(final);
  text += fmt::format("\n{} samples of history; nothing was trained.\n",
                      WithThousands(final.num_samples()));
  if (final.num_unlabelled() > 0) {
    text += fmt::format(
        "{} of them have no label: policies see them, but trainings and SAMPLES leave them out.\n",
        WithThousands(final.num_unlabelled()));
  }
  if (final.selection_filters()) {
    text += "SAMPLES are the most that the selection may choose: its `where` leaves some out.\n";
  }
  text += DescribeForecast(final) + DescribeMatrix(final) + DescribeAsked(final) +
          DescribeFaults(final) + DescribeBest(final);
  if (!final.own_left_out().empty()) {
    text += fmt::format("The pipeline's own policy is not among them: {}.\n",
                        Printable(final.own_left_out()));
  }
  if (final.not_taken().num_files() > 0) {
    text += DescribeNotTaken(final.not_taken()) + "\n";
  }
  if (final.num_shuffles() > 0) {
    text += fmt::format(
        "False alarms are the triggers after the first one on a shuffled history: the mean over "
        "{}.\n",
        final.num_shuffles());
  }
  return text;
}

ordered_json BacktestToJson(const BacktestFinal& final) {
  ordered_json json = SourcesToJson(final);
  json["results"] = ordered_json::array();
  for (const v1::BacktestResult& result : final.results()) {
    ordered_json triggers = ordered_json::array();
    for (const auto& trigger : result.triggers()) {
      triggers.push_back({{"at", FormatTimestamp({trigger.at().event_time()})},
                          {"key", trigger.at().sample_key()},
                          {"new_samples", trigger.num_new()},
                          {"samples", trigger.num_selected()}});
    }
    json["results"].push_back(ResultToJson(result, std::move(triggers)));
    json["results"].back()["windows"] = WindowsToJson(final, result);
  }
  return json;
}

std::string BacktestPage(const std::string& pipeline, const BacktestFinal& final) {
  ordered_json data = SourcesToJson(final);
  data["version"] = kVersion;
  data["from"] = Known(final.has_first_time(), final.first_time() / 1000);
  data["to"] = Known(final.has_last_time(), final.last_time() / 1000);
  if (HasMatrix(final)) {
    const ResultTable style = StyleOf(final);
    data["matrix"]["lower"] = style.lower_is_better;
    data["matrix"]["share"] = style.share;
  }
  data["results"] = ordered_json::array();
  for (const v1::BacktestResult& result : final.results()) {
    data["results"].push_back(ResultToJson(result, DrawnTriggers(result)));
  }
  return MakePage({.markup = backtest_assets::kPage,
                   .style = backtest_assets::kStyle,
                   .script = backtest_assets::kScript,
                   .title = pipeline + ", policies tried on history",
                   .over = "policies tried on history",
                   .heading = pipeline,
                   .headline = Headline(final)},
                  data);
}

}  // namespace tidemill::cli
