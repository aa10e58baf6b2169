#include "cli/init/training_choice.h"

#include <algorithm>

#include "fmt/format.h"

#include "base/thousands.h"

namespace tidemill::cli {
namespace {

constexpr int64_t kFewSamples = 300;
// About this many trainings. Trainings on images take longer.
constexpr int64_t kTriggers = 8;
constexpr int64_t kTriggersOfImages = 5;

int64_t OutputsOf(const TrainingFacts& facts) { return std::max<int64_t>(1, facts.num_classes); }

Guess Model(const TrainingFacts& facts) {
  const int64_t outputs = OutputsOf(facts);
  const std::string why =
      facts.num_classes > 0 ? "one output for each class" : "one output, the number";
  if (facts.is_image) {
    return {.key = "model",
            .value = fmt::format("{{type: convnet, channels: [16, 32], hidden: 64, outputs: {}}}",
                                 outputs),
            .reason = "a small network for images; " + why,
            .others = {{fmt::format("model: {{type: resnet18, outputs: {}}}", outputs),
                        "larger and slower"}}};
  }
  if (facts.vocabulary > 0) {
    return {.key = "model",
            .value = fmt::format(
                "{{type: embedding_bag, vocabulary: {}, width: 32, sparse: true, outputs: {}}}",
                facts.vocabulary, outputs),
            .reason = "a bag of words; " + why};
  }
  const std::string linear = fmt::format("{{type: logistic, outputs: {}}}", outputs);
  const std::string layers = fmt::format("{{type: mlp, hidden: [64, 32], outputs: {}}}", outputs);
  if (facts.num_samples < kFewSamples) {
    return {.key = "model",
            .value = linear,
            .reason = "a linear model, because there are few samples; " + why,
            .others = {{"model: " + layers, "with hidden layers"}}};
  }
  return {.key = "model",
          .value = layers,
          .reason = "a small network for rows of numbers; " + why,
          .others = {{"model: " + linear, "a linear model; a larger one has to be better"}}};
}

int64_t SamplesPerTrigger(const TrainingFacts& facts) {
  return std::max<int64_t>(
      1, RoundDown(facts.num_samples / (facts.is_image ? kTriggersOfImages : kTriggers)));
}

Guess Trigger(const TrainingFacts& facts) {
  const int64_t samples = SamplesPerTrigger(facts);
  // The first model is the one that all others are compared with.
  const int64_t first = std::min<int64_t>(1000, RoundDown(facts.num_samples / 4));
  Guess guess{.key = "trigger",
              .value = YamlMap({"type: amount", fmt::format("samples: {}", samples),
                                first > samples ? fmt::format("first: {}", first) : ""}),
              .reason = fmt::format("about {} trainings over about {} samples",
                                    facts.num_samples / samples, WithThousands(facts.num_samples))};
  if (!facts.time_is_known) return guess;
  const int64_t days = WholeDays(facts.span);
  for (const auto& [least, period] :
       {std::pair(1500, "year"), {90, "month"}, {21, "week"}, {4, "day"}}) {
    if (days < least) continue;
    guess.others.push_back({fmt::format("trigger: {{type: time, calendar: {}}}", period),
                            fmt::format("at the end of each {}; the times cover {} days", period,
                                        WithThousands(days))});
    break;
  }
  return guess;
}

Guess Selection(const TrainingFacts& facts) {
  if (facts.time_is_known) {
    return {.key = "selection",
            .value = "{type: new_data}",
            .reason = "what came since the last training",
            .others = {{"selection: {type: all_data}", "everything so far"}}};
  }
  return {.key = "selection",
          .value = "{type: all_data}",
          .reason =
              "everything so far, because the order of the samples is not known to mean anything"};
}

std::string OptimizerOf(const TrainingFacts& facts, int64_t batch) {
  // One that changes the rows of an embedding that a batch uses, and no others.
  if (facts.vocabulary > 0) return "optimizer: {type: adagrad, lr: 0.2}";
  return fmt::format("optimizer: {{type: adam, lr: {}}}",
                     batch == 16 && !facts.is_image ? "5e-3" : "1e-3");
}

Guess Training(const TrainingFacts& facts) {
  const int64_t samples = SamplesPerTrigger(facts);
  const int64_t batch = samples < 500 ? 16 : samples < 5000 ? 64 : 128;
  // About this many steps a training, as far as that is not too often over the same samples.
  constexpr int64_t kSteps = 2000;
  const int64_t most = facts.is_image ? 10 : 20;
  const int64_t epochs = std::clamp<int64_t>(kSteps * batch / samples, 1, most);
  Guess guess{.key = "training",
              .value = YamlMap({fmt::format("epochs: {}", epochs),
                                fmt::format("batch_size: {}", batch), OptimizerOf(facts, batch),
                                facts.num_classes > 0 ? "loss: cross_entropy" : "loss: mse",
                                "warm_start: true", "seed: 42"}),
              .reason = fmt::format("about {} steps a training",
                                    WithThousands(epochs * ((samples + batch - 1) / batch)))};
  if (facts.num_classes == 0)
    guess.reason += "; with outliers in the label, loss: huber may be better";
  return guess;
}

Guess Evaluation(const TrainingFacts& facts) {
  std::string measures = "[mae, rmse, r2]";
  std::string reason = "errors in the units of the label";
  if (facts.num_classes > 0) {
    measures = "[accuracy, {type: f1, average: macro}]";
    reason = "the share of right answers, and f1, which counts rare classes as much as others";
    if (facts.num_classes == 2) {
      measures = "[accuracy, {type: f1, average: macro}, roc_auc]";
      reason += facts.is_unbalanced ? "; one class is rare, so accuracy alone says little" : "";
    }
  }
  return {.key = "evaluation",
          .value = fmt::format(
              "[{{dataset: {}, windows: {{type: between_triggers}},{}models: all,{}measures: {}}}]",
              YamlText(facts.dataset), kBreak, kBreak, measures),
          .reason = reason};
}

}  // namespace

int64_t WholeDays(Duration span) { return span.micros / 86'400'000'000; }

int64_t RoundDown(int64_t number) {
  int64_t power = 1;
  while (power * 10 <= number) power *= 10;
  return std::max<int64_t>(1, number / power * power);
}

std::vector<Guess> ChooseTraining(const TrainingFacts& facts) {
  return {Model(facts), Trigger(facts), Selection(facts), Training(facts), Evaluation(facts)};
}

}  // namespace tidemill::cli
