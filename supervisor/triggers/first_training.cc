#include "supervisor/triggers/first_training.h"

#include "fmt/format.h"

#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {

void JudgeFirstTraining(const std::optional<int64_t>& first, Verdict& verdict) {
  const double samples = ValueOf(verdict.observed(), number::kSamples);
  const auto wanted = static_cast<double>(first.value_or(1));
  verdict.set_fired(samples >= wanted);
  *verdict.mutable_comparison() = Awaited("samples without a model", samples, wanted, "samples");
  if (first) *verdict.mutable_nearest() = ChangeOf("first", wanted, samples);
}

std::string ExplainFirstTraining(const std::optional<int64_t>& first, const Observed& observed) {
  const double samples = ValueOf(observed, number::kSamples);
  std::string text = Counted(samples, "sample") + " had come and there was no model";
  if (!first) return text;
  return fmt::format("{}; the first training waits for {}", text,
                     Counted(static_cast<double>(*first), "sample"));
}

void AddTinyFirst(int64_t num_samples, std::vector<config::Remark>& remarks) {
  if (num_samples >= kTinyTraining) return;
  remarks.push_back(
      {.path = "first",
       .message = fmt::format("the first model is trained on {}, and it is in use until the next "
                              "training",
                              Counted(static_cast<double>(num_samples), "sample")),
       .hint = "write first: 1000, or as many samples as a useful model needs",
       .is_error = false});
}

std::vector<config::Remark> FindOutOfReach(const std::string& path,
                                           std::optional<int64_t> num_samples,
                                           const StreamFacts& stream) {
  if (!num_samples || !stream.num_samples || *num_samples <= *stream.num_samples) return {};
  return {{.path = path,
           .message = fmt::format("asks for {}, and the dataset has {}",
                                  Counted(static_cast<double>(*num_samples), "sample"),
                                  Figure(static_cast<double>(*stream.num_samples))),
           .hint = fmt::format("nothing will be trained; write {} or less", *stream.num_samples),
           .is_error = false}};
}

}  // namespace tidemill::supervisor
