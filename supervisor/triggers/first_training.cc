#include "supervisor/triggers/first_training.h"

#include "fmt/format.h"

#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {

void JudgeFirstTraining(const std::optional<int64_t>& first, Verdict& verdict) {
  const double samples = ValueOf(verdict.observed, "samples");
  const auto wanted = static_cast<double>(first.value_or(1));
  verdict.fired = samples >= wanted;
  verdict.comparison =
      Comparison{"samples without a model", samples, wanted, "samples", /*waiting=*/true};
  if (first) verdict.nearest = Change{"first", wanted, samples};
}

std::string ExplainFirstTraining(const std::optional<int64_t>& first, const Observed& observed) {
  const double samples = ValueOf(observed, "samples");
  std::string text = Counted(samples, "sample") + " had come and there was no model";
  if (!first) return text;
  return fmt::format("{}; the first training waits for {}", text,
                     Counted(static_cast<double>(*first), "sample"));
}

}  // namespace tidemill::supervisor
