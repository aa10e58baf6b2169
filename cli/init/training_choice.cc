#include "cli/init/training_choice.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/numbers/thousands.h"

namespace tidemill::cli {
namespace {

int64_t OutputsOf(const TrainingFacts& facts) { return std::max<int64_t>(1, facts.num_classes); }

std::string ImageModel(bool is_linear, int64_t outputs) {
  if (is_linear) return fmt::format("{{type: logistic, outputs: {}}}", outputs);
  return fmt::format("{{type: convnet, channels: [16, 32], hidden: 64, outputs: {}}}", outputs);
}

std::string TextModel(bool is_linear, int64_t vocabulary, int64_t outputs) {
  return fmt::format(
      "{{type: embedding_bag, vocabulary: {}, width: 32,{} sparse: true, outputs: {}}}", vocabulary,
      is_linear ? "" : " hidden: [64],", outputs);
}

std::string TableModel(bool is_linear, int64_t outputs) {
  if (is_linear) return fmt::format("{{type: logistic, outputs: {}}}", outputs);
  return fmt::format("{{type: mlp, hidden: [64, 32], outputs: {}}}", outputs);
}

std::string IdsModel(bool is_linear, const TrainingFacts& facts) {
  const std::string type =
      is_linear ? "factorization_machine, " : "dlrm, width: 8, bottom: [16], top: [32], ";
  return fmt::format("{{type: {}categories: [{}],{}{}sparse: true, outputs: {}}}", type,
                     fmt::join(facts.categories, ", "), kBreak, is_linear ? "factors: 8, " : "",
                     OutputsOf(facts));
}

std::string ModelLine(const TrainingFacts& facts, bool is_linear) {
  const int64_t outputs = OutputsOf(facts);
  if (facts.is_image) return ImageModel(is_linear, outputs);
  if (facts.vocabulary > 0) return TextModel(is_linear, facts.vocabulary, outputs);
  if (!facts.categories.empty()) return IdsModel(is_linear, facts);
  return TableModel(is_linear, outputs);
}

std::string ModelName(const TrainingFacts& facts, bool is_linear) {
  if (facts.vocabulary > 0) {
    return is_linear ? "a bag of words" : "a bag of words with a hidden layer";
  }
  if (!facts.categories.empty()) {
    return is_linear ? "a factorization machine" : "a DLRM (layers over embeddings and numbers)";
  }
  if (is_linear) return "a linear model";
  return facts.is_image ? "a small network for images" : "a small network";
}

Guess Model(const TrainingFacts& facts, const Recipe& recipe) {
  Guess guess{.key = "model",
              .value = ModelLine(facts, recipe.is_linear),
              .reason = fmt::format(
                  "{}; {}", ModelName(facts, recipe.is_linear),
                  facts.num_classes > 0 ? "one output for each class" : "one output, the number")};
  if (facts.categories.empty() || facts.has_numbers) {
    guess.others.push_back(
        {"model: " + ModelLine(facts, !recipe.is_linear), ModelName(facts, !recipe.is_linear)});
  }
  if (facts.is_image) {
    guess.others.push_back({fmt::format("model: {{type: resnet18, outputs: {}}}", OutputsOf(facts)),
                            "larger and slower"});
  }
  return guess;
}

int64_t SamplesPerTrigger(const TrainingFacts& facts) {
  if (facts.is_trial) return std::max<int64_t>(1, facts.num_samples * 21 / 100);
  return std::max<int64_t>(1, RoundDown(facts.num_samples / facts.num_trainings));
}

// Trainings after .4, .61 and .82 of the samples. A training at the end would have no sample to be
// judged by.
Guess TriggerOfTrial(const TrainingFacts& facts) {
  return {.key = "trigger",
          .value = fmt::format("{{type: amount, samples: {}, first: {}}}",
                               std::max<int64_t>(1, facts.num_samples * 21 / 100),
                               std::max<int64_t>(1, facts.num_samples * 4 / 10))};
}

Guess Trigger(const TrainingFacts& facts) {
  if (facts.is_trial) return TriggerOfTrial(facts);
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

Guess Selection(const TrainingFacts& facts, const Recipe& recipe) {
  Guess guess{.key = "selection", .value = "{type: all_data}", .reason = "everything so far"};
  if (!facts.time_is_known) {
    guess.reason += ", because the order of the samples is not known to mean anything";
    return guess;
  }
  Guess other{.value = "{type: new_data}", .reason = "what came since the last training"};
  if (!recipe.all_data) std::swap(guess.value, other.value), std::swap(guess.reason, other.reason);
  guess.others.push_back({"selection: " + other.value,
                          other.reason + (recipe.all_data ? ", with warm_start: true below" : "")});
  return guess;
}

// The samples of a training in the middle of the run.
int64_t UsualTraining(const TrainingFacts& facts, const Recipe& recipe) {
  return recipe.all_data ? std::max<int64_t>(1, facts.num_samples / 2) : SamplesPerTrigger(facts);
}

bool IsOfEmbeddings(const TrainingFacts& facts) {
  return facts.vocabulary > 0 || !facts.categories.empty();
}

std::string OptimizerOf(const TrainingFacts& facts, const Recipe& recipe) {
  // One that changes the rows of an embedding that a batch uses, and no others.
  if (facts.vocabulary > 0) return "optimizer: {type: adagrad, lr: 0.2}";
  if (!facts.categories.empty()) return "optimizer: {type: adagrad, lr: 0.05}";
  if (!recipe.is_linear) return "optimizer: {type: adamw, lr: 2e-3, weight_decay: 0.05}";
  // The penalty of ridge regression, 1 over all samples.
  const double decay = 1 / static_cast<double>(UsualTraining(facts, recipe));
  return fmt::format("optimizer: {{type: adam, lr: {}, weight_decay: {:.0e}}}",
                     facts.is_image ? "2e-3" : "1e-2", decay);
}

Guess Training(const TrainingFacts& facts, const Recipe& recipe) {
  const int64_t samples = UsualTraining(facts, recipe);
  const int64_t batch = samples < 1000 ? 16 : samples < 8000 ? 64 : 128;
  // The same samples too often teach their noise, embeddings of ids above all.
  const int64_t most = !facts.categories.empty() ? 4 : facts.is_image && facts.is_trial ? 8 : 30;
  // A step on images takes longer.
  const int64_t steps = facts.is_image ? facts.num_steps / 2 : facts.num_steps;
  const int64_t epochs = std::clamp<int64_t>(steps * batch / samples, 2, most);
  return {
      .key = "training",
      .value = YamlMap({fmt::format("epochs: {}", epochs), fmt::format("batch_size: {}", batch),
                        OptimizerOf(facts, recipe),
                        IsOfEmbeddings(facts) ? "" : "schedule: {type: cosine}",
                        facts.num_classes > 0 ? "loss: cross_entropy" : "loss: huber",
                        recipe.all_data ? "warm_start: false" : "warm_start: true", "seed: 42"}),
      .reason = fmt::format(
          "about {} steps a training{}", WithThousands(epochs * ((samples + batch - 1) / batch)),
          facts.num_classes == 0 ? "; huber lets outliers of the label count less than mse does"
                                 : "")};
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
      // What recommends ranks.
      if (!facts.categories.empty()) {
        measures = "[roc_auc, accuracy, {type: f1, average: macro}]";
        reason = "how often a record of one class is ranked above one of the other; " + reason;
      }
    }
  }
  return {.key = "evaluation",
          .value = fmt::format(
              "[{{dataset: {}, windows: {{type: between_triggers}},{}models: {},{}measures: {}}}]",
              YamlText(facts.dataset), kBreak, facts.is_trial ? "active" : "all", kBreak, measures),
          .reason = reason};
}

}  // namespace

int64_t WholeDays(Duration span) { return span.micros / 86'400'000'000; }

int64_t RoundDown(int64_t number) {
  int64_t power = 1;
  while (power * 10 <= number) power *= 10;
  return std::max<int64_t>(1, number / power * power);
}

std::string Describe(const Recipe& recipe, const TrainingFacts& facts) {
  return fmt::format("{} on {}", ModelName(facts, recipe.is_linear),
                     recipe.all_data ? "all data so far" : "new data");
}

std::vector<Recipe> RecipesFor(const TrainingFacts& facts) {
  std::vector<Recipe> recipes = {{.is_linear = true, .all_data = true}};
  // "New" means nothing when the order means nothing.
  if (facts.time_is_known) recipes.push_back({.is_linear = true, .all_data = false});
  // The layers of a DLRM are over numbers.
  if (!facts.categories.empty() && !facts.has_numbers) return recipes;
  recipes.push_back({.is_linear = false, .all_data = true});
  if (facts.time_is_known) recipes.push_back({.is_linear = false, .all_data = false});
  return recipes;
}

Recipe UntriedRecipe(const TrainingFacts& facts) {
  // Pixels alone say little to a linear model.
  return {.is_linear = !facts.is_image, .all_data = true};
}

std::vector<Guess> ChooseTraining(const TrainingFacts& facts, const Recipe& recipe) {
  return {Model(facts, recipe), Trigger(facts), Selection(facts, recipe), Training(facts, recipe),
          Evaluation(facts)};
}

}  // namespace tidemill::cli
