// The `training` section of a pipeline: how to train.
//
//   training:
//     epochs: 2
//     batch_size: 128
//     optimizer: {type: adam, lr: 1e-3}
//     schedule: {type: warmup, share: 0.1, then: cosine}
//     loss: cross_entropy
//     warm_start: true
//     seed: 42
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "models/spec/model_spec.h"
#include "models/training/augment_spec.h"
#include "models/training/average_spec.h"
#include "models/training/buckets_spec.h"
#include "models/training/cache_spec.h"
#include "models/training/downsampling_spec.h"
#include "models/training/early_stopping_spec.h"
#include "models/training/gradient_clipping.h"
#include "models/training/last_batch.h"
#include "models/training/lora_spec.h"
#include "models/training/losses/loss_spec.h"
#include "models/training/mix_spec.h"
#include "models/training/module_optimizer.h"
#include "models/training/orders/order_spec.h"
#include "models/training/placement_spec.h"
#include "models/training/program_spec.h"
#include "models/training/schedules/schedule_spec.h"
#include "models/training/share.h"
#include "models/training/start_from_spec.h"
#include "models/training/training_choices.h"

namespace tidemill::models {

struct TrainingSpec {
  std::optional<TrainingType> type = std::nullopt;
  ProgramSpec program = {};
  config::DeviceChoice device = {};
  std::optional<PlacementSpec> placement = std::nullopt;
  int64_t epochs = 1;
  std::optional<config::Count> max_samples = std::nullopt;
  int64_t batch_size = 128;
  int64_t accumulate = 1;
  int64_t ranks = 1;
  std::optional<int64_t> least_ranks = std::nullopt;
  OptimizerSpec optimizer = DefaultOptimizer();
  std::vector<ModuleOptimizer> optimizers = {};
  ScheduleSpec schedule = {};
  LossSpec loss = {};
  std::optional<GradientClipping> gradient_clipping = std::nullopt;
  Precision precision = Precision::kFloat32;
  std::optional<Average> average = std::nullopt;
  std::optional<EarlyStopping> early_stopping = std::nullopt;
  bool warm_start = true;
  std::optional<StartFrom> start_from = std::nullopt;
  std::vector<std::string> frozen = {};
  std::optional<Lora> lora = std::nullopt;
  bool reuse = false;
  int64_t seed = 0;
  std::optional<Fit> fit = std::nullopt;
  bool shuffle = true;
  std::optional<OrderSpec> order = std::nullopt;
  std::optional<Buckets> buckets = std::nullopt;
  std::optional<Mix> mix = std::nullopt;
  LastBatch last_batch = LastBatch::kKeep;
  Share share = Share::kWindow;
  std::optional<Augment> augment = std::nullopt;
  CacheSpec cache = {};
  int64_t checkpoint_every = 1'000'000;
  std::optional<int64_t> num_threads = std::nullopt;
  double max_bad_fraction = 0.1;
  std::optional<config::Count> max_bad_samples = std::nullopt;
  std::optional<bool> standardize_target = std::nullopt;
  DownsamplingSpec downsampling = {};
  WeightedLoss weighted_loss = WeightedLoss::kUnbiased;
  config::ByteSize decoded_budget{int64_t{512} << 20};

  void Fields(auto&& field) {
    field("type", type,
          "network, the default: the network of `model` is trained. program: a program of your own "
          "trains what it likes.");
    program.Fields(field);
    field(
        "device", device,
        "Where to train. `auto` takes a GPU if a trainer server that may train has one. A training "
        "has its GPU for itself, and waits for one that is free; `cuda:1` waits for that one.");
    field("placement", placement, "Which trainer servers may train.");
    field("epochs", epochs, "Number of passes over the training set.", {.min = 1, .max = 1e6});
    field("max_samples", max_samples,
          "Number of samples after which a training ends, even if its epochs are not over. This is "
          "the budget of a trigger. It is rounded up to a whole batch.");
    field("batch_size", batch_size, "Samples in one step of the optimizer.",
          {.min = 1, .max = 1'048'576});
    field("accumulate", accumulate,
          "Number of batches whose gradients make one step, as if they were one batch. The last "
          "batches of an epoch make a smaller step.",
          {.min = 1, .max = 65536});
    FieldsOfRanks(field);
    field("optimizer", optimizer, "How weights follow gradients.");
    field("optimizers", optimizers,
          "Several optimizers instead of `optimizer`, each for some parameters and, if you like, "
          "with its own schedule. A parameter gets the first one whose pattern matches its "
          "name.");
    field("schedule", schedule, "How the learning rate changes during a training.");
    field("loss", loss,
          "`cross_entropy` or `bce_with_logits` for class labels, or `focal`, `multiclass_focal`, "
          "`hinge` or `multiclass_hinge`. `mse`, `l1`, `huber` or `smooth_l1` for real ones.");
    field(
        "standardize_target", standardize_target,
        "Train on real labels as (x - mean) / deviation. Both numbers are learned from the "
        "selected samples, as `standardize` does. Predictions are converted back into the units of "
        "the label, and models are measured in them. By default true for real ones.");
    field("gradient_clipping", gradient_clipping, "Limits for the gradients.");
    field("precision", precision,
          "`bfloat16` computes the products of the forward pass in 16 bits. Weights, loss and "
          "steps stay in 32 bits. `float16` does so with more digits and smaller exponents: losses "
          "are multiplied so that small gradients do not become zero, and steps whose gradients "
          "overflow are left out.");
    field("average", average, "An average of the weights that becomes the model.");
    field("early_stopping", early_stopping, "When to end before the last epoch.");
    field("warm_start", warm_start,
          "Start from the model of the previous trigger instead of a fresh initialisation.");
    field("start_from", start_from,
          "Weights to begin with where there is no model of an earlier trigger.");
    field("frozen", frozen,
          "Parameters that are not trained: patterns with * and ? for their names. A layer all of "
          "whose parameters are frozen stays in evaluation mode: it uses the numbers of its batch "
          "normalisation and does not change them, and its dropout does nothing.",
          {.example = "[\"stem*\", \"stage*\"]"});
    field("lora", lora, "Linear layers that are trained by low-rank additions only.");
    field("reuse", reuse,
          "Take a model that another run, or an earlier run of this pipeline, has trained of the "
          "same samples in the same way, in place of training it again. Random draws then depend "
          "on the training set, not on the number of the trigger, so that runs with other policies "
          "share the models of the cuts that they share. For trainings on a CPU.");
    field("seed", seed, "Seeds initialisation, shuffling and dropout.", {.min = 0});
    FieldsOfData(field);
  }

  // Notes settings that contradict one another.
  void Check(config::Problems& problems) const;

  // Whether a program of the user trains.
  bool RunsProgram() const { return type == TrainingType::kProgram; }
  // Returns the device to ask for: ranks and programs are on processors.
  config::DeviceChoice EffectiveDevice() const {
    return ranks > 1 || RunsProgram() ? config::kCpuDevice : device;
  }
  // Returns the optimisers of `optimizer` or `optimizers`, each with its schedule.
  std::vector<ModuleOptimizer> Optimizers() const;
  // Returns `order`, or the order that `shuffle` stands for.
  OrderSpec EffectiveOrder() const {
    return order.value_or(shuffle ? OrderSpec() : InStreamOrder());
  }
  // Returns `fit` or its default.
  Fit EffectiveFit() const {
    return fit.value_or(warm_start ? Fit::kFirstTrigger : Fit::kEachTrigger);
  }
  friend bool operator==(const TrainingSpec&, const TrainingSpec&) = default;

 private:
  void FieldsOfRanks(auto& field) {
    field(
        "ranks", ranks,
        "Number of processes that train one model together. Each computes its part of every batch, "
        "so `batch_size` does not change. A process that is lost costs the step that it was in.",
        {.min = 1, .max = 64});
    field("least_ranks", least_ranks,
          "With how few processes a training continues when others cannot be started again. Its "
          "weights are no longer the same to the last bit. By default there are always `ranks`.",
          {.min = 1, .max = 64});
  }
  // The fields about samples: which ones, in what order, and how many may be unusable.
  void FieldsOfData(auto& field) {
    field("fit", fit,
          "When the ops that learn from data do so: at the first trigger (the default with "
          "warm_start) or at each_trigger (the default without it).");
    field("shuffle", shuffle,
          "Visit the samples in a new random order in each epoch. true means `order: full`, false "
          "means `order: none`.");
    field("order", order,
          "The order of the samples in an epoch. Use it instead of `shuffle` for more choices.");
    field("buckets", buckets, "Puts samples of similar length into a batch.");
    field("mix", mix, "Fills batches from several sources, in given shares.");
    field("last_batch", last_batch,
          "A last batch with too few samples. keep: it is smaller. drop: it is left out, unless it "
          "is the only one of its epoch. wrap: it gets the epoch's first samples, too.");
    field("share", share, kShareDoc);
    field("augment", augment, "Mixes rows of a batch with one another: mixup and cutmix.");
    field("checkpoint_every", checkpoint_every,
          "Number of samples between two checkpoints. An interrupted training continues from the "
          "last checkpoint.",
          {.min = 1});
    field("num_threads", num_threads,
          "Threads for the arithmetic on a CPU. By default 1 for a linear model or an mlp with "
          "small layers, else 2. Weights are reproducible for the same number of threads.",
          {.min = 1, .max = 1024});
    field("max_bad_fraction", max_bad_fraction,
          "Share of samples that may be unusable before the training fails.", {.min = 0, .max = 1});
    field("max_bad_samples", max_bad_samples,
          "Number of samples in one epoch that may be unreadable, or may each make a loss "
          "infinite. The next such sample ends the training immediately. 0: the first one does.");
    field("downsampling", downsampling, "Which of its samples an epoch trains on.");
    field("weighted_loss", weighted_loss,
          "The loss of a batch with weights. unbiased: the weighted sum divided by the number of "
          "samples, which estimates the loss of all candidates. self_normalised: the weighted sum "
          "divided by the sum of the weights, which is biased and varies less.");
    field("cache", cache, "Whether prepared samples are kept for the next epoch or training.");
    field("decoded_budget", decoded_budget,
          "Bytes of decoded samples that downsampling keeps in memory between scoring and "
          "training. Samples that do not fit, or for which the graph is random, are read again.",
          {.min = 0});
  }
};

// Returns `num_threads` or its default, which depends on the specs only.
inline int64_t NumThreads(const TrainingSpec& training, const ModelSpec& model) {
  return training.num_threads.value_or(model->IsSmall() ? 1 : 2);
}

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::TrainingSpec);
