#include "models/training_check.h"

#include <fnmatch.h>

#include "fmt/format.h"

namespace tidemill::models {
namespace {

using Problems = std::vector<TrainingProblem>;

void Add(Problems& problems, std::string_view path, std::string message, std::string hint) {
  problems.push_back({std::string(path), {std::move(message), std::move(hint)}});
}

void CheckClassOutputs(const Loss& loss, int64_t outputs, const LabelKind& label,
                       Problems& problems) {
  if (std::holds_alternative<BceWithLogits>(loss)) {
    if (label.num_classes > 0 && label.num_classes != 2) {
      Add(problems, "training.loss",
          fmt::format("bce_with_logits tells two classes apart, '{}' has {}", label.dataset,
                      label.num_classes),
          "use loss: cross_entropy");
    } else if (outputs != 1) {
      Add(problems, "model.outputs",
          fmt::format("{} outputs where bce_with_logits takes one", outputs), "write outputs: 1");
    }
    return;
  }
  if (label.num_classes > 0 && outputs != label.num_classes) {
    const bool bce_fits = outputs == 1 && label.num_classes == 2;
    Add(problems, "model.outputs",
        fmt::format("{} outputs for the {} classes of '{}'", outputs, label.num_classes,
                    label.dataset),
        fmt::format("write outputs: {}{}", label.num_classes,
                    bce_fits ? ", or use loss: bce_with_logits" : ""));
  }
  const auto num_weights = static_cast<int64_t>(std::get<CrossEntropy>(loss).class_weights.size());
  if (num_weights > 0 && num_weights != outputs) {
    Add(problems, "training.loss.class_weights",
        fmt::format("{} weights for {} outputs", num_weights, outputs), "list one for each class");
  }
}

void CheckLoss(const ModelSpec& model, const Loss& loss, const LabelKind& label,
               Problems& problems) {
  const int64_t outputs = NumOutputs(model);
  if (label.is_class != IsOfClasses(loss)) {
    Add(problems, "training.loss",
        fmt::format("{} does not fit the label of '{}', which is a {}", TypeName(loss),
                    label.dataset, label.is_class ? "class" : "real number"),
        fmt::format("use loss: {}", label.is_class ? "cross_entropy" : "mse"));
  } else if (label.is_class) {
    CheckClassOutputs(loss, outputs, label, problems);
  } else if (outputs != 1) {
    Add(problems, "model.outputs", fmt::format("{} outputs for one real label", outputs),
        "write outputs: 1");
  }
}

// The optimiser of a network's embeddings, whose names begin with "embedding".
const OptimizerSpec& EmbeddingOptimizer(const std::vector<ModuleOptimizer>& optimizers) {
  for (const ModuleOptimizer& one : optimizers) {
    if (fnmatch(one.modules.c_str(), "embedding.weight", 0) == 0) return one.optimizer;
  }
  return optimizers.back().optimizer;
}

void CheckSparse(const TrainingSpec& training, Problems& problems) {
  if (!TakesSparseGradients(EmbeddingOptimizer(training.Optimizers()))) {
    Add(problems, "model.sparse", "the optimizer of the embedding takes no sparse gradients",
        "use sgd without momentum or adagrad for modules: \"embedding*\", without weight_decay");
  }
  if (training.gradient_clipping && training.gradient_clipping->value) {
    Add(problems, "training.gradient_clipping", "value does not act on sparse gradients",
        "use norm");
  }
}

}  // namespace

std::vector<TrainingProblem> FindTrainingProblems(const ModelSpec& model,
                                                  const TrainingSpec& training,
                                                  const LabelKind& label) {
  Problems problems;
  CheckLoss(model, training.loss, label, problems);
  if (HasSparseGradients(model)) CheckSparse(training, problems);
  return problems;
}

}  // namespace tidemill::models
