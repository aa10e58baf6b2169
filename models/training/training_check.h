// Whether a model, a training and a label go together.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/spec/model_inputs.h"
#include "models/training/training_problem.h"
#include "models/training/training_spec.h"

namespace tidemill::models {

// What is trained for: classes, of which a spec may name how many there are, or a real number.
struct LabelKind {
  bool is_class = false;
  int64_t num_classes = 0;  // 0 when unknown.
  // Of the dataset, for messages.
  std::string_view dataset = {};
};

// All that does not fit: a loss of another kind of label, outputs that are not as many as the loss
// and the classes need, sparse gradients that an optimiser cannot take, a method of downsampling
// that asks for what the loss, the label or memory does not give.
TrainingProblems FindTrainingProblems(const ModelSpec& model, const TrainingSpec& training,
                                      const LabelKind& label);

// An order or buckets beside `training.mix`, which says what a batch has, and sources of it that
// name classes which the label does not have. Also for a dataset without labels, which is then one
// of no classes.
TrainingProblems FindMixProblems(const TrainingSpec& training, const LabelKind& label);

// What keeps `training.buckets` from being used with what the graph makes and the model takes: a
// column without length, boundaries beyond its width, a model whose answers depend on how much
// padding there is, or that takes no ragged rows.
TrainingProblems FindBucketsProblems(const ModelSpec& model, const Buckets& buckets,
                                     const InputSpecs& inputs);

}  // namespace tidemill::models
