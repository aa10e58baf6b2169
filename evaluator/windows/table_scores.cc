#include "evaluator/windows/table_scores.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "base/overloaded.h"
#include "evaluator/measures/bootstrap.h"

namespace tidemill::evaluator {
namespace {

constexpr size_t kMaxSlices = 50;

struct Slice {
  std::string label;
  std::vector<int32_t> rows;
};

// The rows of each value, the most frequent first, and those of the rare ones at the end.
std::vector<Slice> SlicesOf(std::span<const int32_t> values,
                            const std::function<std::string(int32_t)>& label) {
  std::map<int32_t, std::vector<int32_t>> by_value;
  for (size_t row = 0; row < values.size(); ++row) {
    by_value[values[row]].push_back(static_cast<int32_t>(row));
  }
  std::vector<int32_t> rest = std::move(by_value[SliceColumns::kOther]);
  by_value.erase(SliceColumns::kOther);
  std::vector<Slice> slices;
  for (auto& [value, rows] : by_value) slices.push_back({label(value), std::move(rows)});
  std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return a.rows.size() != b.rows.size() ? a.rows.size() > b.rows.size() : a.label < b.label;
  });
  for (; slices.size() > kMaxSlices; slices.pop_back()) {
    rest.insert(rest.end(), slices.back().rows.begin(), slices.back().rows.end());
  }
  // Sums of doubles are taken in the order of rows.
  std::sort(rest.begin(), rest.end());
  if (!rest.empty()) slices.push_back({label(SliceColumns::kOther), std::move(rest)});
  return slices;
}

std::vector<Slice> SlicesOfClasses(const OutcomeTable& table, const TableContext& context) {
  const auto classes = table.outcomes().true_classes;
  std::vector<int32_t> values;
  for (const int64_t truly : classes) {
    const bool fits = truly >= 0 && truly <= std::numeric_limits<int32_t>::max();
    values.push_back(fits ? static_cast<int32_t>(truly) : SliceColumns::kOther);
  }
  return SlicesOf(values, [&](int32_t value) -> std::string {
    if (value < 0) return "class=other";
    const auto place = static_cast<size_t>(value);
    const auto& names = context.class_names;
    return "class=" + (place < names.size() ? names[place] : std::to_string(value));
  });
}

// Sets values and intervals of scores, one for each measure.
void SetScores(const OutcomeTable& table, double scale, const EvaluationSpec& spec,
               std::span<v1::Evaluation* const> scores) {
  const Outcomes outcomes = table.outcomes();
  const auto intervals =
      BootstrapIntervals(spec.measures, outcomes,
                         {.keys = table.keys(), .times = table.times(), .share = scale * scale},
                         spec.bootstrap.replicates, spec.bootstrap.seed);
  for (size_t i = 0; i < spec.measures.size(); ++i) {
    if (!spec.measures[i]->HasValue()) continue;
    v1::Evaluation& score = *scores[i];
    score.set_num_unkept(table.num_added() - table.num_kept());
    const auto of_table = spec.measures[i]->ValueOf(outcomes);
    if (!score.has_value() && of_table) score.set_value(*of_table);
    if (!score.has_value() || !of_table || !intervals[i]) continue;
    score.set_low(score.value() + scale * (intervals[i]->low - *of_table));
    score.set_high(score.value() + scale * (intervals[i]->high - *of_table));
  }
}

void AddSlice(const Slice& slice, const OutcomeTable& table, double scale,
              const EvaluationSpec& spec,
              google::protobuf::RepeatedPtrField<v1::Evaluation>& scores) {
  const OutcomeTable part = table.Select(slice.rows);
  std::vector<v1::Evaluation*> own;
  for (const MeasureSpec& measure : spec.measures) {
    if (!measure->HasValue()) {
      own.push_back(nullptr);
      continue;
    }
    own.push_back(scores.Add());
    own.back()->set_measure(measure->Name());
    own.back()->set_slice(slice.label);
    own.back()->set_num_samples(part.num_kept());
  }
  SetScores(part, scale, spec, own);
}

}  // namespace

void ScoreTable(const OutcomeTable& table, const TableContext& context,
                google::protobuf::RepeatedPtrField<v1::Evaluation>& scores) {
  if (table.num_kept() == 0) return;
  const double scale =
      std::sqrt(static_cast<double>(table.num_kept()) / static_cast<double>(table.num_added()));
  std::vector<v1::Evaluation*> whole;
  for (v1::Evaluation& score : scores) whole.push_back(&score);
  SetScores(table, scale, context.spec, whole);
  size_t column = 0;
  for (const SliceSpec& spec : context.spec.slices) {
    const std::vector<Slice> slices =
        std::visit(Overloaded{[&](const ClassSlices&) { return SlicesOfClasses(table, context); },
                              [&](const auto&) {
                                const size_t own = column++;
                                return SlicesOf(table.slices(own), [&](int32_t value) {
                                  return context.columns.Label(own, value);
                                });
                              }},
                   spec);
    for (const Slice& slice : slices) AddSlice(slice, table, scale, context.spec, scores);
  }
}

}  // namespace tidemill::evaluator
