#include "cli/sweep/sweep_result.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "cli/results/run_json.h"
#include "cli/terminal/text.h"
#include "cli/terminal/tone.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

// The values of a setting's runs at its last rung. Empty unless all of them have one: the mean of
// some seeds would not be that of all.
std::vector<const SweepValue*> ValuesAtLastRung(const SettingResult& setting) {
  std::vector<const SweepValue*> values;
  for (const SweepRun& run : setting.runs) {
    if (run.rung != setting.rung) continue;
    if (!run.value || run.state != supervisor::v1::RUN_STATE_SUCCEEDED) return {};
    values.push_back(&*run.value);
  }
  return values;
}

// Trained for this run, and not taken from another.
double TrainingSecondsOf(const supervisor::v1::GetRunResponse& run) {
  double seconds = 0;
  for (const supervisor::v1::Trigger& trigger : run.triggers()) {
    if (trigger.has_reused_from()) continue;
    const auto train = trigger.stage_seconds().find("train");
    if (train != trigger.stage_seconds().end()) seconds += train->second;
  }
  return seconds;
}

void SummariseSetting(SettingResult& setting, size_t num_seeds) {
  setting.training_seconds = 0;
  for (const SweepRun& run : setting.runs) setting.training_seconds += run.training_seconds;
  setting.value.reset();
  setting.interval.reset();
  setting.baseline.reset();
  const auto values = ValuesAtLastRung(setting);
  if (values.size() != num_seeds) return;
  double sum = 0;
  double sum_of_baselines = 0;
  bool has_baseline = true;
  std::pair<double, double> range(values.front()->value, values.front()->value);
  for (const SweepValue* value : values) {
    sum += value->value;
    range = {std::min(range.first, value->value), std::max(range.second, value->value)};
    has_baseline = has_baseline && value->baseline.has_value();
    sum_of_baselines += value->baseline.value_or(0);
  }
  const auto count = static_cast<double>(values.size());
  // One run has the very digits of its value.
  setting.value = values.size() == 1 ? values.front()->value : sum / count;
  setting.interval = values.size() == 1 ? values.front()->interval : range;
  if (!has_baseline) return;
  setting.baseline = values.size() == 1 ? values.front()->baseline : sum_of_baselines / count;
  setting.baseline_name = values.front()->baseline_name;
}

std::string Upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

// The number of settings that took part in a rung.
size_t NumAt(const SweepResult& result, size_t rung) {
  return static_cast<size_t>(std::ranges::count_if(
      result.settings,
      [&](const SettingResult& setting) { return setting.rung >= rung && !setting.runs.empty(); }));
}

std::string RungText(const SweepResult& result, size_t rung) {
  return fmt::format("rung {} of {} ({})", rung + 1, result.halving->rungs.size(),
                     EffortText(*result.halving, rung));
}

// The settings with the most effort first, by value.
std::vector<size_t> InOrder(const SweepResult& result) {
  std::vector<size_t> order;
  for (size_t rung = result.halving ? result.halving->rungs.size() : 1; rung-- > 0;) {
    std::vector<Ranked> own;
    for (size_t i = 0; i < result.settings.size(); ++i) {
      if (result.settings[i].rung == rung) own.push_back({i, result.settings[i].value});
    }
    for (const Ranked& ranked : Rank(own, result.lower_is_better)) order.push_back(ranked.setting);
  }
  return order;
}

std::vector<std::string> HeaderOf(const SweepResult& result) {
  std::vector<std::string> header;
  for (const SweepAxis& axis : result.plan.axes()) {
    if (axis.values.size() > 1) header.push_back(Printable(axis.key));
  }
  const bool has_seeds = !result.plan.seeds().empty();
  if (has_seeds) header.emplace_back("SEEDS");
  header.push_back(result.measure.empty() ? "VALUE" : Upper(Printable(result.measure)));
  header.emplace_back(has_seeds ? "LOWEST TO HIGHEST" : "95 % INTERVAL");
  header.insert(header.end(), {"BASELINE", "TRAINING", "RUNS", "FATE"});
  return header;
}

std::string IntervalText(const SettingResult& setting) {
  if (!setting.interval) return "-";
  return fmt::format("{} to {}", Measure(setting.interval->first),
                     Measure(setting.interval->second));
}

// A reason of a failure may be long; it was printed when the run ended, and JSON has all of it.
std::string Shortened(const std::string& fate) {
  constexpr size_t kMost = 72;
  if (fate.size() <= kMost) return fate;
  return OneLine(fate.substr(0, fate.find_last_of(' ', kMost))) + " ...";
}

// The runs of the last rung.
std::string RunsText(const SettingResult& setting) {
  std::vector<std::string> ids;
  for (const SweepRun& run : setting.runs) {
    if (run.rung == setting.rung && run.id != 0) ids.push_back(std::to_string(run.id));
  }
  return ids.empty() ? "-" : fmt::format("{}", fmt::join(ids, ","));
}

std::vector<std::string> RowOf(const SweepResult& result, size_t number, bool is_best) {
  const SettingResult& setting = result.settings[number];
  std::vector<std::string> row;
  for (size_t i = 0; i < result.plan.axes().size(); ++i) {
    if (result.plan.axes()[i].values.size() > 1) {
      row.push_back(result.plan.settings()[number][i].value);
    }
  }
  if (!result.plan.seeds().empty()) row.push_back(std::to_string(result.plan.num_seeds()));
  row.push_back(Measure(setting.value));
  row.push_back(IntervalText(setting));
  row.push_back(setting.baseline
                    ? fmt::format("{} {}", Measure(setting.baseline), setting.baseline_name)
                    : "-");
  row.push_back(Elapsed(setting.training_seconds));
  row.push_back(RunsText(setting));
  row.push_back((is_best ? "best, " : "") + Shortened(FateText(result, setting)));
  return row;
}

const char* NameOf(Fate fate) {
  switch (fate) {
    case Fate::kDone:
      return "done";
    case Fate::kHalved:
      return "halved";
    case Fate::kFailed:
      return "failed";
    case Fate::kStopped:
      return "stopped";
    case Fate::kOpen:
      break;
  }
  return "open";
}

template <typename Value>
ordered_json OrNull(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json RunOfSweepToJson(const SweepResult& result, const SweepRun& run) {
  ordered_json json = {{"run", run.id == 0 ? ordered_json(nullptr) : ordered_json(run.id)},
                       {"rung", run.rung + 1},
                       {"state", run.id == 0 ? "not submitted" : StateName(run.state)},
                       {"triggers", run.num_triggers},
                       {"training_seconds", run.training_seconds},
                       {"value", nullptr}};
  if (!result.plan.seeds().empty()) {
    json["seed"] = result.plan.seeds()[run.place / result.plan.settings().size()];
  }
  if (!run.error.empty()) json["error"] = run.error;
  if (!run.value) return json;
  json["value"] = run.value->value;
  json["samples"] = run.value->num_samples;
  if (run.value->interval) {
    json["low"] = run.value->interval->first;
    json["high"] = run.value->interval->second;
  }
  json["windows"] = ordered_json::array();
  for (const WindowValue& window : run.value->windows) {
    json["windows"].push_back({{"from", FormatTimestamp({window.from})},
                               {"to", FormatTimestamp({window.to})},
                               {"trigger", window.trigger},
                               {"value", window.value}});
  }
  return json;
}

ordered_json SettingToJson(const SweepResult& result, size_t number) {
  const SettingResult& setting = result.settings[number];
  ordered_json json = {{"setting", number + 1}, {"values", ordered_json::object()}};
  for (const config::Override& set : result.plan.settings()[number]) {
    json["values"][set.path] = set.value;
  }
  json["fate"] = NameOf(setting.fate);
  json["why"] = FateText(result, setting);
  json["rung"] = setting.rung + 1;
  json["place"] = setting.place == 0 ? ordered_json(nullptr) : ordered_json(setting.place);
  json["value"] = OrNull(setting.value);
  const bool has_seeds = !result.plan.seeds().empty();
  if (setting.interval) {
    json[has_seeds ? "lowest" : "low"] = setting.interval->first;
    json[has_seeds ? "highest" : "high"] = setting.interval->second;
  }
  json["baseline"] = OrNull(setting.baseline);
  if (setting.baseline) json["baseline_name"] = setting.baseline_name;
  json["training_seconds"] = setting.training_seconds;
  json["runs"] = ordered_json::array();
  for (const SweepRun& run : setting.runs) {
    json["runs"].push_back(RunOfSweepToJson(result, run));
  }
  return json;
}

ordered_json HalvingToJson(const SweepResult& result) {
  if (!result.halving) return nullptr;
  ordered_json json = {{"unit", result.halving->unit}, {"rungs", ordered_json::array()}};
  for (size_t i = 0; i < result.halving->rungs.size(); ++i) {
    json["rungs"].push_back(
        {{"effort", OrNull(result.halving->rungs[i].effort)}, {"settings", NumAt(result, i)}});
  }
  return json;
}

// How many settings have which fate: "12 settings: 1 done, 11 halved".
std::string CountsText(const SweepResult& result) {
  std::map<Fate, size_t> counts;
  for (const SettingResult& setting : result.settings) ++counts[setting.fate];
  std::vector<std::string> parts;
  for (const Fate fate : {Fate::kDone, Fate::kHalved, Fate::kFailed, Fate::kStopped, Fate::kOpen}) {
    if (counts[fate] > 0) parts.push_back(fmt::format("{} {}", counts[fate], NameOf(fate)));
  }
  return fmt::format("{} settings: {}", result.settings.size(), fmt::join(parts, ", "));
}

}  // namespace

void NoteEnd(const supervisor::v1::GetRunResponse& full, const std::string& measure,
             SweepRun& ended) {
  ended.error = full.run().error();
  ended.num_triggers = full.run().num_triggers();
  ended.training_seconds = TrainingSecondsOf(full);
  if (ended.state == supervisor::v1::RUN_STATE_SUCCEEDED) ended.value = ValueOf(full, measure);
}

std::string RungTag(size_t rung, size_t num_rungs) {
  return fmt::format("rung-{}-of-{}", rung + 1, num_rungs);
}

void Summarise(SweepResult& result) {
  for (SettingResult& setting : result.settings) {
    SummariseSetting(setting, result.plan.num_seeds());
    for (const SweepRun& run : setting.runs) {
      if (!run.value || !result.measure.empty()) continue;
      result.measure = run.value->measure;
      result.dataset = run.value->dataset;
      result.lower_is_better = run.value->lower_is_better;
    }
  }
  const size_t num_rungs = result.halving ? result.halving->rungs.size() : 1;
  for (size_t rung = 0; rung < num_rungs; ++rung) {
    std::vector<Ranked> own;
    for (size_t i = 0; i < result.settings.size(); ++i) {
      if (result.settings[i].rung < rung) continue;
      // The place at a rung is that of its values at the rung: those of settings that have left it
      // upwards are better, whatever they have become since.
      const bool went_on = result.settings[i].rung > rung;
      const double best = result.lower_is_better ? -HUGE_VAL : HUGE_VAL;
      own.push_back({i, went_on ? std::optional(best) : result.settings[i].value});
    }
    size_t place = 0;
    for (const Ranked& ranked : Rank(own, result.lower_is_better)) {
      SettingResult& setting = result.settings[ranked.setting];
      ++place;
      if (setting.rung == rung) setting.place = setting.value ? place : 0;
    }
  }
}

std::optional<size_t> BestOf(const SweepResult& result) {
  std::vector<Ranked> done;
  for (size_t i = 0; i < result.settings.size(); ++i) {
    if (result.settings[i].fate == Fate::kDone) done.push_back({i, result.settings[i].value});
  }
  const std::vector<Ranked> ranked = Rank(done, result.lower_is_better);
  if (ranked.empty() || !ranked.front().value) return std::nullopt;
  return ranked.front().setting;
}

std::string EffortText(const HalvingPlan& halving, size_t rung) {
  const std::optional<int64_t> effort = halving.rungs.at(rung).effort;
  if (!effort) return "all " + halving.unit;
  const std::string unit =
      *effort == 1 ? halving.unit.substr(0, halving.unit.size() - 1) : halving.unit;
  return fmt::format("{} {}", *effort, unit);
}

std::string FateText(const SweepResult& result, const SettingResult& setting) {
  const std::string at =
      result.halving ? fmt::format(" at {}", RungText(result, setting.rung)) : std::string();
  switch (setting.fate) {
    case Fate::kDone:
      return setting.value ? "done" : "done, nothing was measured";
    case Fate::kHalved:
      return setting.value ? fmt::format("halved{}: place {} of {}", at, setting.place,
                                         NumAt(result, setting.rung))
                           : fmt::format("halved{}: nothing was measured", at);
    case Fate::kFailed:
      return fmt::format("failed{}: {}", at, OneLine(setting.error));
    case Fate::kStopped:
      return "stopped" + at;
    case Fate::kOpen:
      break;
  }
  return "open" + at;
}

std::string DescribeSweep(const SweepResult& result, bool paint) {
  Table table(HeaderOf(result));
  const std::optional<size_t> best = BestOf(result);
  for (const size_t number : InOrder(result)) {
    table.Add(RowOf(result, number, best == number));
  }
  if (paint) {
    table.Paint(HeaderOf(result).size() - 1, [](const std::string& cell) {
      if (cell.starts_with("best")) return Tone::kGood;
      return cell.starts_with("failed") ? Tone::kBad : Tone::kPlain;
    });
  }
  std::string text = fmt::format("sweep {} of {}: {}\n\n{}", result.name,
                                 Printable(result.pipeline), CountsText(result), table.ToString());
  if (!result.plan.seeds().empty()) {
    text += fmt::format("\neach setting with {} = {}; its value is the mean over them\n", kSeedKey,
                        fmt::join(result.plan.seeds(), ", "));
  }
  if (!result.measure.empty()) {
    text += fmt::format("{}{} on {}, {} is better\n", result.plan.seeds().empty() ? "\n" : "",
                        Printable(result.measure), Printable(result.dataset),
                        result.lower_is_better ? "lower" : "higher");
  }
  if (best) {
    text +=
        fmt::format("best: {}\n", Printable(TextOf(result.plan, result.plan.settings()[*best])));
  }
  return text;
}

ordered_json SweepToJson(const SweepResult& result) {
  ordered_json json = {{"sweep", result.name},
                       {"pipeline", result.pipeline},
                       {"file", result.file},
                       {"measure", result.measure},
                       {"dataset", result.dataset},
                       {"lower_is_better", result.lower_is_better},
                       {"axes", ordered_json::array()},
                       {"seed_key", kSeedKey},
                       {"seeds", result.plan.seeds()},
                       {"halving", HalvingToJson(result)},
                       {"settings", ordered_json::array()},
                       {"best", nullptr},
                       {"seconds", result.seconds}};
  for (const SweepAxis& axis : result.plan.axes()) {
    json["axes"].push_back({{"key", axis.key}, {"values", axis.values}});
  }
  for (size_t i = 0; i < result.settings.size(); ++i) {
    json["settings"].push_back(SettingToJson(result, i));
  }
  if (const auto best = BestOf(result)) json["best"] = *best + 1;
  return json;
}

}  // namespace tidemill::cli
