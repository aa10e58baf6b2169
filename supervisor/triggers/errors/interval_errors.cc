#include "supervisor/triggers/errors/interval_errors.h"

#include <algorithm>
#include <numeric>

#include "fmt/format.h"

#include "supervisor/triggers/first_training.h"
#include "supervisor/triggers/label_check.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {

double ExpectedError::Of(const statistics::ScoreHistory& new_models) const {
  if (expected_error) return *expected_error;
  const double sum = std::accumulate(new_models.scores.begin(), new_models.scores.end(), 0.0);
  return sum / static_cast<double>(new_models.scores.size());
}

std::optional<IntervalError> ObserveInterval(const IntervalErrors& spec,
                                             const EvidenceTable& errors, Observed& observed) {
  const auto rows = static_cast<double>(errors.num_rows);
  observed[number::kRows] = rows;
  observed[number::kMissing] = static_cast<double>(errors.num_missing);
  if (errors.num_rows == 0) return std::nullopt;
  const double sum = std::accumulate(errors.values.begin(), errors.values.end(), 0.0);
  const double error = sum / rows / spec.error_scale.value_or(1);
  if (error > 1) observed[number::kCapped] = 1;
  observed[number::kError] = std::min(error, 1.0);
  return IntervalError{.error = std::min(error, 1.0), .rows = rows};
}

std::optional<Verdict> JudgeInterval(const IntervalErrors& spec, std::string_view policy,
                                     const Observed& observed) {
  const bool has_model = ValueOf(observed, number::kModel) == 1;
  if (has_model && observed.contains(number::kError)) return std::nullopt;
  Verdict verdict = NewVerdict(policy, observed);
  if (has_model) {
    *verdict.mutable_comparison() = Awaited("samples that could be looked at", 0, 1, "samples");
  } else {
    JudgeFirstTraining(spec.first, verdict);
  }
  return verdict;
}

std::optional<std::string> ExplainWithoutError(const IntervalErrors& spec,
                                               const Observed& observed) {
  if (ValueOf(observed, number::kModel) == 0) return ExplainFirstTraining(spec.first, observed);
  if (observed.contains(number::kError)) return std::nullopt;
  return "no sample since the last evaluation could be looked at";
}

std::string ExplainError(const IntervalErrors& spec, const Observed& observed) {
  const std::string samples = Counted(ValueOf(observed, number::kRows), "sample");
  const std::string error = Figure(ValueOf(observed, number::kError));
  if (!spec.error_scale) return fmt::format("the model had an error of {} on {}", error, samples);
  return fmt::format("the model had an error of {} on {}, in units of {}{}", error, samples,
                     Figure(*spec.error_scale),
                     observed.contains(number::kCapped) ? "; greater errors count as 1" : "");
}

void CheckSamples(const IntervalErrors& spec, const transform::DescribedSamples& samples,
                  config::Problems& problems) {
  CheckMistakes(samples, "type", /*of_classes=*/false, problems);
  const transform::LabelKind label = samples.schema.label;
  if (label == transform::LabelKind::kReal && !spec.error_scale) {
    problems.Add(
        "error_scale",
        fmt::format("is missing: the label of '{}' is a real number, and errors are weighed "
                    "between 0 and 1",
                    samples.dataset),
        "write the mean absolute error that counts as 1, such as error_scale: 10");
  } else if (label == transform::LabelKind::kClass && spec.error_scale) {
    problems.Add("error_scale",
                 fmt::format("is for real labels, and those of '{}' are classes", samples.dataset),
                 "leave it out");
  }
}

std::vector<config::Remark> Advise(const IntervalErrors& spec, const StreamFacts& stream) {
  std::vector<config::Remark> remarks = FindOutOfReach("first", spec.first, stream);
  for (config::Remark& remark : FindOutOfReach("evaluate.samples", spec.evaluate.samples, stream)) {
    remarks.push_back(std::move(remark));
  }
  if (spec.evaluate.samples) {
    AddTinyFirst(std::max(*spec.evaluate.samples, spec.first.value_or(0)), remarks);
  }
  return remarks;
}

}  // namespace tidemill::supervisor
