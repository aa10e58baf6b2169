#include "cli/init/candidates/choice.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/numbers/thousands.h"
#include "boost/math/distributions/normal.hpp"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;

bool IsBetter(const Trial& trial, double value, double than) {
  return trial.lower_is_better ? value < than : value > than;
}

// How much wider an interval of 95 % is where one of several differences must not be beyond chance
// by chance: each then has its share of the 5 % (Bonferroni).
double WideningFor(int64_t num_differences) {
  constexpr double kMiss = 0.05;
  const boost::math::normal normal;
  const double alone = boost::math::quantile(normal, 1 - kMiss / 2);
  const auto shares = static_cast<double>(std::max<int64_t>(1, num_differences));
  return boost::math::quantile(normal, 1 - kMiss / 2 / shares) / alone;
}

// Whether the best one is better than this one by chance alone, as far as intervals tell.
bool MayBeAsGood(const Trial& trial, const TriedCandidate& best, const TriedCandidate& candidate,
                 double widening) {
  if (candidate.behind) {
    const auto [low, high] = *candidate.behind;
    const double gain = trial.lower_is_better ? -(low + high) / 2 : (low + high) / 2;
    return gain <= widening * (high - low) / 2;
  }
  if (!best.interval) return *candidate.value == *best.value;
  return trial.lower_is_better ? *candidate.value <= best.interval->second
                               : *candidate.value >= best.interval->first;
}

std::string ValueText(const TriedCandidate& candidate) {
  if (!candidate.value) return candidate.problem;
  std::string text = fmt::format("{:.4g}", *candidate.value);
  if (candidate.interval) {
    text += fmt::format(" [{:.4g}, {:.4g}]", candidate.interval->first, candidate.interval->second);
  }
  if (candidate.behind) {
    text += fmt::format(", the best less this one [{:+.4g}, {:+.4g}]", candidate.behind->first,
                        candidate.behind->second);
  }
  return text;
}

}  // namespace

std::optional<size_t> BestOf(const Trial& trial) {
  std::optional<size_t> best;
  for (size_t place = 0; place < trial.candidates.size(); ++place) {
    const std::optional<double>& value = trial.candidates[place].value;
    if (!value) continue;
    if (!best || IsBetter(trial, *value, *trial.candidates[*best].value)) best = place;
  }
  return best;
}

std::optional<size_t> ChooseCandidate(const Trial& trial) {
  const std::optional<size_t> best = BestOf(trial);
  if (!best) return std::nullopt;
  // Nothing has shown that the best one is better than the simplest.
  if (const TriedCandidate& simplest = trial.candidates.front();
      !simplest.value && simplest.is_unfinished) {
    return 0;
  }
  const auto compared = std::ranges::count_if(
      trial.candidates,
      [](const TriedCandidate& candidate) { return candidate.behind.has_value(); });
  const double widening = WideningFor(compared);
  for (size_t place = 0; place < *best; ++place) {
    const TriedCandidate& candidate = trial.candidates[place];
    if (!candidate.value) continue;
    if (MayBeAsGood(trial, trial.candidates[*best], candidate, widening)) return place;
  }
  return best;
}

std::vector<TriedRule> RulesAbove(const Trial& trial, const TriedCandidate& candidate) {
  std::vector<TriedRule> above;
  for (const TriedRule& rule : trial.rules) {
    if (candidate.value && IsBetter(trial, rule.value, *candidate.value)) above.push_back(rule);
  }
  return above;
}

std::vector<std::string> DescribeTrial(const Trial& trial, std::optional<size_t> chosen) {
  std::vector<std::string> lines = {"Tried on " + trial.rows + ":"};
  if (chosen) {
    lines.back() +=
        fmt::format(" {} ({} is better) on {} samples that each model met only after its training.",
                    trial.measure, trial.lower_is_better ? "lower" : "higher",
                    WithThousands(trial.num_samples));
  }
  for (size_t place = 0; place < trial.candidates.size(); ++place) {
    const TriedCandidate& candidate = trial.candidates[place];
    lines.push_back(fmt::format("- {}: {}{}", candidate.candidate.name, ValueText(candidate),
                                chosen == place ? "; this one is written" : ""));
  }
  for (const TriedRule& rule : trial.rules) {
    lines.push_back(fmt::format("- without a model, {}: {:.4g}", rule.rule, rule.value));
  }
  return lines;
}

ordered_json TrialToJson(const Trial& trial) {
  const std::optional<size_t> chosen = ChooseCandidate(trial);
  ordered_json candidates = ordered_json::array();
  for (size_t place = 0; place < trial.candidates.size(); ++place) {
    const TriedCandidate& tried = trial.candidates[place];
    ordered_json one = {{"name", tried.candidate.name}, {"written", chosen == place}};
    one["value"] = tried.value ? ordered_json(*tried.value) : ordered_json(nullptr);
    if (tried.interval)
      one.update({{"low", tried.interval->first}, {"high", tried.interval->second}});
    if (tried.behind) {
      one["behind_best"] = {{"low", tried.behind->first}, {"high", tried.behind->second}};
    }
    if (!tried.value) one["problem"] = tried.problem;
    candidates.push_back(std::move(one));
  }
  ordered_json rules = ordered_json::array();
  for (const TriedRule& rule : trial.rules) {
    const std::optional<double> written =
        chosen ? trial.candidates[*chosen].value : std::optional<double>();
    const bool wins = written && IsBetter(trial, rule.value, *written);
    rules.push_back({{"rule", rule.rule}, {"value", rule.value}, {"wins", wins}});
  }
  return {{"rows", trial.rows},
          {"measure", trial.measure},
          {"lower_is_better", trial.lower_is_better},
          {"samples", trial.num_samples},
          {"seconds", trial.seconds},
          {"candidates", std::move(candidates)},
          {"rules", std::move(rules)}};
}

PipelineDraft WithTrial(PipelineDraft draft, const Trial& trial) {
  const std::optional<size_t> chosen = ChooseCandidate(trial);
  draft.tried = DescribeTrial(trial, chosen);
  if (!chosen) {
    draft.more_unknown.emplace_back(
        "whether the model is any good: no candidate could be tried to its end; a longer --budget "
        "may help");
    return draft;
  }
  const TriedCandidate& written = trial.candidates[*chosen];
  draft = WithCandidate(std::move(draft), written.candidate);
  if (const TriedCandidate& simplest = trial.candidates.front(); !simplest.value) {
    draft.more_unknown.push_back(
        fmt::format("whether {} would do as well: {}; a longer --budget compares it",
                    simplest.candidate.name, simplest.problem));
  }
  for (const TriedRule& rule : RulesAbove(trial, written)) {
    draft.more_unknown.push_back(fmt::format(
        "whether a model is worth its cost: in the trial, {} had {} {:.4g}, and the pipeline that "
        "is written {:.4g}",
        rule.rule, trial.measure, rule.value, *written.value));
  }
  return draft;
}

}  // namespace tidemill::cli
