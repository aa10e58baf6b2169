// Checks that a model, a training and a label fit together.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/spec/model_inputs.h"
#include "models/training/training_problem.h"
#include "models/training/training_spec.h"

namespace tidemill::models {

// The kind of a label: classes, whose number a spec may give, or a real number.
struct LabelKind {
  bool is_class = false;
  int64_t num_classes = 0;  // 0 when unknown.
  // The name of the dataset, for messages.
  std::string_view dataset = {};
};

// Returns everything that does not fit: a loss for another kind of label; a wrong number of outputs
// for the loss and the classes; sparse gradients that an optimiser cannot take; a downsampling
// method that needs what the loss, the label or memory does not provide.
TrainingProblems FindTrainingProblems(const ModelSpec& model, const TrainingSpec& training,
                                      const LabelKind& label);

// Returns the problems of `training.mix`. An order or buckets beside it are a problem, because the
// mix decides what a batch contains. So are sources that name classes which the label does not
// have. A dataset without labels counts as one without classes.
TrainingProblems FindMixProblems(const TrainingSpec& training, const LabelKind& label);

// Returns why `training.buckets` does not fit the columns of the graph and the inputs of the model:
// a column without a length; boundaries beyond its width; a model whose answers depend on the
// padding; a model that takes no ragged rows.
TrainingProblems FindBucketsProblems(const ModelSpec& model, const Buckets& buckets,
                                     const InputSpecs& inputs);

// Returns why `training.augment` does not fit the columns of the graph: ids, which cannot be mixed;
// for cutmix, rows that are not images of one height and width.
TrainingProblems FindAugmentProblems(const Augment& augment, const InputSpecs& inputs);

// Returns the problems of both, where the training has them.
TrainingProblems FindInputsProblems(const ModelSpec& model, const TrainingSpec& training,
                                    const InputSpecs& inputs);

}  // namespace tidemill::models
