#include "supervisor/measuring/challenge.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "fmt/format.h"

#include "evaluator/outcomes/paired_difference.h"
#include "supervisor/runs/cuts.h"
#include "supervisor/triggers/errors/outcome_columns.h"

namespace tidemill::supervisor {
namespace {

// The rows of both models about the same samples.
struct PairedRows {
  std::vector<int64_t> keys;
  std::vector<int64_t> times;
  EvidenceTable champion;
  EvidenceTable challenger;
};

std::unordered_map<int64_t, int64_t> RowsByKey(const EvidenceTable& table) {
  std::unordered_map<int64_t, int64_t> rows;
  for (int64_t row = 0; row < table.num_rows; ++row) {
    rows[table.keys[static_cast<size_t>(row)]] = row;
  }
  return rows;
}

void AppendRow(const EvidenceTable& from, int64_t row, EvidenceTable& to) {
  const auto values =
      std::span(from.values)
          .subspan(static_cast<size_t>(row * from.width), static_cast<size_t>(from.width));
  to.width = from.width;
  to.values.insert(to.values.end(), values.begin(), values.end());
  ++to.num_rows;
}

PairedRows PairRows(const ComparedSamples& samples, const EvidenceTable& champion,
                    const EvidenceTable& challenger) {
  const auto of_champion = RowsByKey(champion);
  const auto of_challenger = RowsByKey(challenger);
  PairedRows pairs;
  for (size_t i = 0; i < samples.keys.size(); ++i) {
    const auto one = of_champion.find(samples.keys[i]);
    const auto other = of_challenger.find(samples.keys[i]);
    if (one == of_champion.end() || other == of_challenger.end()) continue;
    pairs.keys.push_back(samples.keys[i]);
    pairs.times.push_back(samples.times[i]);
    AppendRow(champion, one->second, pairs.champion);
    AppendRow(challenger, other->second, pairs.challenger);
  }
  return pairs;
}

v1::ModelComparison ComparisonOf(const evaluator::Measure& measure,
                                 const evaluator::PairedDifference& difference) {
  v1::ModelComparison comparison;
  comparison.set_measure(measure.Name());
  comparison.set_num_samples(difference.num_samples);
  comparison.set_challenger(difference.one);
  comparison.set_champion(difference.other);
  const bool is_lower_better = measure.LowerIsBetter();
  comparison.set_better_by(is_lower_better ? -difference.value() : difference.value());
  if (const auto& interval = difference.interval) {
    comparison.set_low(is_lower_better ? -interval->high : interval->low);
    comparison.set_high(is_lower_better ? -interval->low : interval->high);
  }
  return comparison;
}

std::string TextOf(const v1::ModelComparison& comparison) {
  std::string text =
      fmt::format("{} {:.4g} against {:.4g}, better by {:.4g}", comparison.measure(),
                  comparison.challenger(), comparison.champion(), comparison.better_by());
  if (comparison.has_low()) {
    text += fmt::format(" ({:.4g} to {:.4g})", comparison.low(), comparison.high());
  }
  return text + fmt::format(" on {} samples that neither was trained on", comparison.num_samples());
}

bool IsBetter(const ChallengeRule& rule, const v1::ModelComparison& comparison) {
  if (rule.margin) return comparison.better_by() > *rule.margin;
  return comparison.has_low() && comparison.low() > 0;
}

}  // namespace

std::vector<MetSpan> SpansAfter(const std::vector<Window>& windows, const rpc::v1::Cut& one,
                                const rpc::v1::Cut& other) {
  std::vector<MetSpan> spans;
  // They are in the order of their beginnings.
  for (const Window& window : windows) {
    if (Place(window.from) < Place(one) || Place(window.from) < Place(other)) continue;
    if (spans.empty() || Place(spans.back().to) < Place(window.from)) {
      spans.push_back({.from = window.from, .to = window.to});
    } else if (Place(spans.back().to) < Place(window.to)) {
      spans.back().to = window.to;
    }
  }
  return spans;
}

ChallengeAnswer JudgeChallenge(const ChallengeRule& rule, const ComparedSamples& samples,
                               const EvidenceTable& champion, const EvidenceTable& challenger) {
  ChallengeAnswer answer;
  if (champion.num_rows > 0 && challenger.num_rows > 0 && champion.width != challenger.width) {
    answer.why = fmt::format(
        "gives {} numbers for each sample and the model in use {}, so they do "
        "not compare",
        challenger.width - 1, champion.width - 1);
    return answer;
  }
  const PairedRows pairs = PairRows(samples, champion, challenger);
  const auto num_pairs = static_cast<int64_t>(pairs.keys.size());
  if (num_pairs < evaluator::kFewestPairs) {
    answer.has_too_few = true;
    answer.why = fmt::format(
        "shares {} samples with the model in use that neither was trained on, and {} are needed",
        num_pairs, evaluator::kFewestPairs);
    return answer;
  }
  const OutcomeColumns of_champion(rule.measure, pairs.champion);
  const OutcomeColumns of_challenger(rule.measure, pairs.challenger);
  const evaluator::PairedOutcomes outcomes{
      .one = of_challenger.outcomes(),
      .other = of_champion.outcomes(),
      .samples = {.keys = pairs.keys, .times = pairs.times, .share = samples.share}};
  const auto difference = evaluator::DifferenceOf(rule.measure, std::span(&outcomes, 1),
                                                  rule.margin ? 0 : rule.replicates, rule.seed);
  if (!difference) {
    answer.why = fmt::format("has no {} on the {} samples that neither was trained on",
                             rule.measure.Name(), num_pairs);
    return answer;
  }
  answer.comparison = ComparisonOf(rule.measure, *difference);
  answer.is_better = IsBetter(rule, *answer.comparison);
  answer.why = fmt::format("is {}: {}", answer.is_better ? "better" : "not better by enough",
                           TextOf(*answer.comparison));
  return answer;
}

}  // namespace tidemill::supervisor
