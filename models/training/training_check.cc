#include "models/training/training_check.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace tidemill::models {
namespace {

void Add(TrainingProblems& problems, std::string_view path, std::string message, std::string hint) {
  problems.push_back({std::string(path), {std::move(message), std::move(hint)}});
}

// The loss of the same kind for any number of classes.
std::string ForMoreClasses(const LossSpec& loss) {
  std::string of_same_kind = fmt::format("multiclass_{}", loss.type());
  for (const auto& other : Loss::Alternatives()) {
    if (other.type().tag == of_same_kind) return of_same_kind;
  }
  return "cross_entropy";
}

void CheckClassOutputs(const LossSpec& loss, int64_t outputs, const LabelKind& label,
                       TrainingProblems& problems) {
  if (loss->OfClasses() == ClassOutputs::kSigmoid) {
    if (label.num_classes > 0 && label.num_classes != 2) {
      Add(problems, "training.loss",
          fmt::format("{} is for two classes, but '{}' has {}", loss.type(), label.dataset,
                      label.num_classes),
          fmt::format("use loss: {}", ForMoreClasses(loss)));
    } else if (outputs != 1) {
      Add(problems, "model.outputs",
          fmt::format("has {} outputs, but {} takes one", outputs, loss.type()),
          "write outputs: 1");
    }
  } else if (label.num_classes > 0 && outputs != label.num_classes) {
    const bool bce_fits = outputs == 1 && label.num_classes == 2;
    Add(problems, "model.outputs",
        fmt::format("has {} outputs for the {} classes of '{}'", outputs, label.num_classes,
                    label.dataset),
        fmt::format("write outputs: {}{}", label.num_classes,
                    bce_fits ? ", or use loss: bce_with_logits" : ""));
  }
}

void CheckLoss(const ModelSpec& model, const LossSpec& loss, const LabelKind& label,
               TrainingProblems& problems) {
  const int64_t outputs = model->NumOutputs();
  if (label.is_class != loss->IsOfClasses()) {
    Add(problems, "training.loss",
        fmt::format("{} does not fit the label of '{}', which is a {}", loss.type(), label.dataset,
                    label.is_class ? "class" : "real number"),
        fmt::format("use loss: {}", label.is_class ? "cross_entropy" : "mse"));
    return;
  }
  if (label.is_class) {
    CheckClassOutputs(loss, outputs, label, problems);
  } else if (outputs != 1) {
    Add(problems, "model.outputs", fmt::format("has {} outputs for one real label", outputs),
        "write outputs: 1");
  }
  if (const auto own = loss->FindOutputsProblem(outputs)) {
    Add(problems, "training.loss." + own->path, own->message, own->hint);
  }
}

// What a program returns answers the label.
void CheckProgramOutputs(const ModelSpec& model, const LabelKind& label,
                         TrainingProblems& problems) {
  const int64_t outputs = model->NumOutputs();
  if (!label.is_class) {
    if (outputs == 1) return;
    Add(problems, "model.outputs", fmt::format("has {} outputs for one real label", outputs),
        "write outputs: 1");
    return;
  }
  const bool is_binary = outputs == 1 && (label.num_classes == 0 || label.num_classes == 2);
  if (label.num_classes == 0 || outputs == label.num_classes || is_binary) return;
  Add(problems, "model.outputs",
      fmt::format("has {} outputs for the {} classes of '{}'", outputs, label.num_classes,
                  label.dataset),
      fmt::format("write outputs: {}", label.num_classes));
}

// A program and `model: {type: program}` belong together.
bool CheckPair(const ModelSpec& model, const TrainingSpec& training, const LabelKind& label,
               TrainingProblems& problems) {
  const bool is_program = model->Program().has_value();
  if (is_program == training.RunsProgram()) return true;
  const int64_t likely = label.is_class ? std::max<int64_t>(label.num_classes, 2) : 1;
  if (is_program) {
    Add(problems, "model", "is what a program returns, but no program trains it",
        "write training: {type: program, run: train.py:main}, or another model");
  } else {
    Add(problems, "model",
        fmt::format("is a network, {}, but the program of the training makes the model",
                    model.type()),
        fmt::format("write model: {{type: program, outputs: {}}}", likely));
  }
  return false;
}

// The optimiser of a network's embeddings, whose names begin with "embedding".
const OptimizerSpec& EmbeddingOptimizer(const std::vector<ModuleOptimizer>& optimizers) {
  for (const ModuleOptimizer& one : optimizers) {
    if (fnmatch(one.modules.c_str(), "embedding.weight", 0) == 0) return one.optimizer;
  }
  return optimizers.back().optimizer;
}

void CheckSparse(const TrainingSpec& training, TrainingProblems& problems) {
  if (!EmbeddingOptimizer(training.Optimizers())->TakesSparseGradients()) {
    Add(problems, "model.sparse", "the optimizer of the embedding does not take sparse gradients",
        "use sgd without momentum or adagrad for modules: \"embedding*\", without weight_decay");
  }
  if (training.ranks > 1) {
    Add(problems, "training.ranks", "cannot be used with a sparse embedding",
        "leave `sparse` out of the model");
  }
  if (training.gradient_clipping && training.gradient_clipping->value) {
    Add(problems, "training.gradient_clipping", "`value` does not act on sparse gradients",
        "use norm");
  }
}

void CheckDownsampling(const ModelSpec& model, const TrainingSpec& training, const LabelKind& label,
                       TrainingProblems& problems) {
  const TrainedWith with = {.outputs = model->NumOutputs(),
                            .loss_is_of_classes = training.loss->IsOfClasses(),
                            .label_is_class = label.is_class,
                            .batch_size = training.batch_size};
  TrainingProblems found;
  for (const Downsampling* method : training.downsampling->Methods()) {
    method->CheckTraining(with, found);
  }
  for (TrainingProblem& one : found) {
    one.path = config::JoinPath("training.downsampling", one.path);
    problems.push_back(std::move(one));
  }
}

// A column whose rows have a length, which the boundaries and the padding fit.
void CheckLengths(const Buckets& buckets, const InputSpecs& inputs, TrainingProblems& problems) {
  const auto column = inputs.find(buckets.column);
  if (column == inputs.end()) {
    Add(problems, "training.buckets.column",
        fmt::format("the graph makes no '{}' for the model", buckets.column),
        "name the column whose rows differ in length, usually input");
    return;
  }
  const auto& [shape, is_integer] = column->second;
  if (shape.empty()) {
    Add(problems, "training.buckets.column",
        fmt::format("'{}' holds single numbers, which have no length", buckets.column),
        "name a column of rows, such as token ids");
    return;
  }
  if (!buckets.boundaries.empty() && buckets.boundaries.back() > shape[0]) {
    Add(problems, "training.buckets.boundaries",
        fmt::format("go up to {}, but rows of '{}' have {} places", buckets.boundaries.back(),
                    buckets.column, shape[0]),
        "leave out the larger widths");
  }
  if (!std::isfinite(buckets.padding) ||
      (is_integer && buckets.padding != std::trunc(buckets.padding))) {
    Add(problems, "training.buckets.padding",
        fmt::format("{} cannot occur in '{}', which is {}", buckets.padding, buckets.column,
                    Describe(column->second)),
        "write the number that fills the end of rows, usually 0");
  }
  const std::string offsets = buckets.column + std::string(kOffsetsSuffix);
  if (buckets.layout == RowLayout::kRagged && inputs.contains(offsets)) {
    Add(problems, "training.buckets.layout", fmt::format("the graph makes '{}' itself", offsets),
        "give that column another name");
  }
}

// The networks that take rows of different length, as words: "gru, tcn or torchscript".
std::string TypesThatTake(RowLengths least) {
  std::vector<std::string_view> types;
  for (const auto& network : Architecture::Alternatives()) {
    const auto made = network.make();
    if (made->Lengths() >= least && !made->Program()) types.push_back(network.type().tag);
  }
  const std::string_view last = types.back();
  types.pop_back();
  return fmt::format("{} or {}", fmt::join(types, ", "), last);
}

// Networks that give the same answer however much padding a row has.
void CheckTakesLengths(const ModelSpec& model, const Buckets& buckets, TrainingProblems& problems) {
  const RowLengths lengths = model->Lengths();
  if (lengths == RowLengths::kAny) return;
  if (lengths == RowLengths::kOne) {
    Add(problems, "training.buckets", fmt::format("{} takes rows of one length only", model.type()),
        fmt::format("leave buckets out, or use type: {}", TypesThatTake(RowLengths::kPadded)));
    return;
  }
  if (buckets.padding != 0) {
    Add(problems, "training.buckets.padding",
        fmt::format("{} takes only 0 as padding", model.type()), "leave it out");
  }
  if (lengths == RowLengths::kPadded && buckets.layout == RowLayout::kRagged) {
    Add(problems, "training.buckets.layout",
        fmt::format("{} does not take ragged rows", model.type()),
        fmt::format("write layout: padded, or use type: {}", TypesThatTake(RowLengths::kRagged)));
  }
}

}  // namespace

TrainingProblems FindBucketsProblems(const ModelSpec& model, const Buckets& buckets,
                                     const InputSpecs& inputs) {
  TrainingProblems problems;
  CheckLengths(buckets, inputs, problems);
  CheckTakesLengths(model, buckets, problems);
  return problems;
}

TrainingProblems FindAugmentProblems(const Augment& augment, const InputSpecs& inputs) {
  TrainingProblems problems;
  std::optional<std::vector<int64_t>> sides;
  for (const auto& [name, input] : inputs) {
    if (input.is_integer) {
      Add(problems, "training.augment",
          fmt::format("mixes numbers, but '{}' is {}", name, Describe(input)),
          "leave augment out, or cast numbers to float32");
      continue;
    }
    if (augment.type != AugmentType::kCutmix) continue;
    if (input.shape.size() < 2 || input.shape.size() > 3) {
      Add(problems, "training.augment",
          fmt::format("cutmix is for images, but '{}' is {}", name, Describe(input)),
          "use type: mixup");
      continue;
    }
    const std::vector<int64_t> own(input.shape.end() - 2, input.shape.end());
    if (own != sides.value_or(own)) {
      Add(problems, "training.augment",
          fmt::format("cutmix takes images of one size, but '{}' has another one", name),
          "resize it, or use type: mixup");
    }
    sides = own;
  }
  return problems;
}

TrainingProblems FindTrainingProblems(const ModelSpec& model, const TrainingSpec& training,
                                      const LabelKind& label) {
  TrainingProblems problems;
  if (!CheckPair(model, training, label, problems)) return problems;
  if (training.RunsProgram()) {
    CheckProgramOutputs(model, label, problems);
    return problems;
  }
  CheckLoss(model, training.loss, label, problems);
  if (model->HasSparseGradients()) CheckSparse(training, problems);
  CheckDownsampling(model, training, label, problems);
  return problems;
}

TrainingProblems FindInputsProblems(const ModelSpec& model, const TrainingSpec& training,
                                    const InputSpecs& inputs) {
  TrainingProblems problems;
  if (training.buckets) problems = FindBucketsProblems(model, *training.buckets, inputs);
  if (training.augment) {
    for (TrainingProblem& one : FindAugmentProblems(*training.augment, inputs)) {
      problems.push_back(std::move(one));
    }
  }
  return problems;
}

TrainingProblems FindMixProblems(const TrainingSpec& training, const LabelKind& label) {
  TrainingProblems problems;
  if (!training.mix) return problems;
  if (training.order || !training.shuffle) {
    Add(problems, "training.mix",
        fmt::format("cannot be used with {} because both order the samples",
                    training.order ? "order" : "shuffle"),
        "leave one out");
  }
  if (training.buckets) {
    Add(problems, "training.mix",
        "cannot be used with buckets because both choose the samples of a batch", "leave one out");
  }
  const std::vector<MixSource>& sources = training.mix->sources;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].classes.empty()) continue;
    const std::string path = fmt::format("training.mix.sources[{}].classes", i);
    if (!label.is_class) {
      Add(problems, path, fmt::format("the label of '{}' is not a class", label.dataset),
          "choose samples by their files");
      continue;
    }
    for (const int64_t one : sources[i].classes) {
      if (label.num_classes == 0 || (one >= 0 && one < label.num_classes)) continue;
      Add(problems, path, fmt::format("'{}' has no class {}", label.dataset, one),
          fmt::format("classes: 0 to {}", label.num_classes - 1));
      break;
    }
  }
  return problems;
}

}  // namespace tidemill::models
