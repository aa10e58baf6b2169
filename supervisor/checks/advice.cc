#include "supervisor/checks/advice.h"

#include <algorithm>

#include "fmt/format.h"

#include "models/spec/embedding_bag.h"
#include "transform/engine/op_spec.h"

namespace tidemill::supervisor {
namespace {

// Half of the steps from one time to the next that differs are shorter; std::nullopt for too few.
std::optional<Duration> TypicalStep(std::vector<Timestamp> times) {
  std::ranges::sort(times);
  std::vector<int64_t> steps;
  for (size_t i = 1; i < times.size(); ++i) {
    if (times[i] != times[i - 1]) steps.push_back(times[i].micros - times[i - 1].micros);
  }
  if (steps.size() < 3) return std::nullopt;
  std::ranges::nth_element(steps, steps.begin() + static_cast<int64_t>(steps.size() / 2));
  return Duration{steps[steps.size() / 2]};
}

config::Remark Advice(std::string path, std::string message, std::string hint) {
  return {.path = std::move(path),
          .message = std::move(message),
          .hint = std::move(hint),
          .is_error = false};
}

void LookAtBatch(const PipelineSpec& spec, const DataFacts& facts,
                 std::vector<config::Remark>& remarks) {
  const int64_t num_samples = facts.num_samples.value_or(0);
  if (num_samples == 0 || spec.live || spec.training.batch_size <= num_samples) return;
  remarks.push_back(
      Advice("training.batch_size",
             fmt::format("a batch of {} is larger than the dataset, which has {} records",
                         spec.training.batch_size, num_samples),
             "each epoch is one step; write a smaller batch_size"));
}

void LookAtTrigger(const std::string& at, const TriggerSpec& trigger, const StreamFacts& stream,
                   std::vector<config::Remark>& remarks) {
  for (config::Remark& remark : trigger->Advise(stream)) {
    remark.path = config::JoinPath(at, remark.path);
    remarks.push_back(std::move(remark));
  }
  const std::span<const TriggerSpec> members = trigger->members();
  for (size_t i = 0; i < members.size(); ++i) {
    // What is useless for a policy alone may be meant in an ensemble: of that, nothing is known.
    LookAtTrigger(fmt::format("{}.of[{}]", at, i), members[i], StreamFacts(), remarks);
  }
}

// A series may well predict a column from its own past.
void LookAtTarget(const PipelineSpec& spec, std::vector<config::Remark>& remarks) {
  const auto dataset = spec.datasets.find(spec.preprocess.dataset);
  if (dataset == spec.datasets.end() || !dataset->second || dataset->second->series) return;
  const auto& label = dataset->second->label;
  if (!label.column) return;
  const transform::GraphSpec& graph = spec.preprocess.graph;
  for (size_t i = 0; i < graph.size(); ++i) {
    const transform::ReadFields read = graph[i].value->Reads();
    const auto found = std::ranges::find(read.names, *label.column);
    if (found == read.names.end()) continue;
    remarks.push_back(Advice(
        fmt::format("preprocess.graph[{}].{}.{}[{}]", i, graph[i].value.type(), read.key,
                    found - read.names.begin()),
        fmt::format(
            "the label '{}' is also read as a feature, so the model sees what it must predict",
            *label.column),
        fmt::format("leave it out of `{}`", read.key)));
  }
}

// Classes that the model has no output for: each sample of them is bad.
void LookAtClasses(const PipelineSpec& spec, const DataFacts& facts,
                   std::vector<config::Remark>& remarks) {
  const auto how = spec.training.loss->OfClasses();
  if (!how) return;
  const bool is_target = std::ranges::any_of(spec.preprocess.graph, [](const auto& node) {
    return node.value->Target() == transform::TargetMade::kLabel;
  });
  if (!is_target) return;
  const int64_t num_classes = how == models::ClassOutputs::kSigmoid ? 2 : spec.model->NumOutputs();
  std::string more;
  const NumberedClass* first = nullptr;
  for (const NumberedClass& one : facts.classes) {
    if (one.number >= 0 && one.number < num_classes) continue;
    if (first != nullptr) more = ", and others";
    if (first == nullptr) first = &one;
  }
  if (first == nullptr) return;
  remarks.push_back(Advice(
      "model.outputs",
      fmt::format("the model has no output for class {} ({}{}): such samples are bad, and nothing "
                  "is learnt from them",
                  first->number, first->where, more),
      "raise outputs, or name the classes in the dataset's label"));
}

// An embedding table all of whose rows every step updates.
void LookAtEmbeddings(const PipelineSpec& spec, std::vector<config::Remark>& remarks) {
  constexpr int64_t kLargeVocabulary = 10'000;
  const auto* bag = spec.model.As<models::EmbeddingBag>();
  if (bag == nullptr || bag->sparse || bag->vocabulary < kLargeVocabulary) return;
  remarks.push_back(Advice(
      "model.sparse",
      fmt::format("each step changes all {} rows of embeddings, though a batch has few of the "
                  "tokens; sparse gradients take a fraction of the time",
                  bag->vocabulary),
      "write sparse: true, and optimizer: adagrad, or sgd without momentum"));
}

}  // namespace

std::vector<config::Remark> Advise(const PipelineSpec& spec, const DataFacts& facts) {
  std::vector<config::Remark> remarks;
  LookAtBatch(spec, facts, remarks);
  StreamFacts stream = {.step = TypicalStep(facts.times), .times = facts.times};
  // A replay of a part, and data that are still to come, have another number.
  if (!spec.live && !spec.replay.from && !spec.replay.to) stream.num_samples = facts.num_samples;
  LookAtTrigger("trigger", spec.trigger, stream, remarks);
  LookAtTarget(spec, remarks);
  LookAtClasses(spec, facts, remarks);
  LookAtEmbeddings(spec, remarks);
  if (spec.evaluation.empty()) {
    remarks.push_back(
        Advice("", "nothing is evaluated, so the run will not say how good its models are",
               "add `evaluation` with a dataset, windows and measures"));
  }
  return remarks;
}

}  // namespace tidemill::supervisor
