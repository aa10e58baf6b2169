// The description from which a worker makes the batches of a job. It is the text in
// CreateJobRequest.spec.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "config/config.h"
#include "loader/batches/batch_maker.h"
#include "models/training/buckets_spec.h"
#include "models/training/cache_spec.h"
#include "models/training/mix_spec.h"
#include "models/training/orders/order_spec.h"
#include "preprocess/client/workers_spec.h"

namespace tidemill::preprocess {

// Divides the sealed training set into two parts, and takes one of them; see loader::HoldOut().
struct HeldOutSpec {
  double share = 0;
  int64_t seed = 0;
  // Takes the part that is held out, instead of the part that is trained on.
  bool measured = false;

  void Fields(auto&& field) {
    field("share", share, "Share of the keys that is not trained on.");
    field("seed", seed, "Seed of the draw.");
    field("measured", measured, "Whether the job takes the part that is held out.");
  }
  friend bool operator==(const HeldOutSpec&, const HeldOutSpec&) = default;
};

// The epochs of a job that draw new samples each; see loader::RepeatedDraw.
struct DrawSpec {
  int64_t samples = 1;
  bool replacement = false;

  void Fields(auto&& field) {
    field("samples", samples, "Number of samples of an epoch.");
    field("replacement", replacement, "Whether each epoch draws from all samples.");
  }
  friend bool operator==(const DrawSpec&, const DrawSpec&) = default;
};

// The passes that draw their order from the seed of a training.
enum class OrderPurpose { kShuffle, kAuxiliary, kHeldOut };

// Returns the purpose with this name (RandomKey::purpose), which must be one of them.
OrderPurpose OrderPurposeOf(std::string_view name);

// A job: a pass over a training set, in batches. Lane n is slice n of each batch. The samples of
// the set are those that the job lists (job_samples.h) or, when it lists none, those of a sealed
// set.
struct JobSpec {
  int64_t run_id = 0;
  int64_t trigger = 0;
  int64_t dataset_id = 0;
  // A DatasetSpec and a GraphSpec, as canonical YAML.
  std::string dataset = {};
  std::string graph = {};
  // Absent: the whole set.
  std::optional<HeldOutSpec> held_out = std::nullopt;
  int64_t batch_size = 1;
  int64_t epochs = 1;
  // The number of the first epoch.
  int64_t first_epoch = 0;
  int64_t seed = 0;
  // The purpose of the random numbers that put samples in order.
  OrderPurpose purpose = OrderPurpose::kShuffle;
  // The number that random draws use in place of the number of the trigger; 0 for the number of the
  // trigger.
  int64_t draw = 0;
  models::OrderSpec order = {};
  models::CacheSpec cache = models::NoCache();
  // How often each sample is expected to be used after its first use.
  double uses = 0;
  // Whether rows that were kept before are used, too, where keeping more would not pay.
  bool finds_kept = false;
  // Absent: each epoch visits all samples of the job.
  std::optional<DrawSpec> repeated_draw = std::nullopt;
  // Without it, nothing in the graph is random.
  bool training = true;
  // Whether targets are standardised, as for a loss; see loader::BatchPlan.
  bool standardize_target = true;
  // Whether samples without a label count as others, and all labels are placeholders.
  bool ignores_labels = false;
  // Whether workers report to storage the samples that they could not use.
  bool reports_bad = true;
  // Whether workers share the rows with other jobs of the same samples; see loader::Sharing.
  bool shares = false;
  loader::LastBatch last_batch = loader::LastBatch::kKeep;
  int64_t num_lanes = 1;
  std::optional<models::Buckets> buckets = std::nullopt;
  std::optional<models::Mix> mix = std::nullopt;
  // With shards, lane n is made from part n, and num_lanes is the number of parts.
  std::optional<Shards> shards = std::nullopt;

  void Fields(auto&& field) {
    field("run_id", run_id, "The run.");
    field("trigger", trigger, "The number of the trigger in its run.");
    field("dataset_id", dataset_id, "The dataset that the keys belong to.");
    field("dataset", dataset, "The dataset's spec.");
    field("graph", graph, "The graph's spec.");
    field("held_out", held_out, "The part of the set that is read.");
    field("batch_size", batch_size, "Samples in a batch, over all lanes.");
    field("epochs", epochs, "Number of passes over the training set.");
    field("first_epoch", first_epoch, "Number of the first epoch.");
    field("seed", seed, "Seed of the order of samples and of random ops.");
    field("purpose", purpose, "Purpose of the random numbers of the order.");
    field("draw", draw, "What random draws use in place of the trigger's number. 0: that number.");
    field("order", order, "The order in which an epoch visits the samples.");
    field("cache", cache, "What is kept of prepared samples.");
    field("uses", uses, "How often each sample is expected to be used again.");
    field("finds_kept", finds_kept, "Whether rows that were kept before are used in any case.");
    field("repeated_draw", repeated_draw, "New samples for each epoch.");
    field("training", training, "Whether random ops draw, as for batches to train on.");
    field("standardize_target", standardize_target, "Whether targets are standardised.");
    field("ignores_labels", ignores_labels, "Whether all labels are placeholders.");
    field("reports_bad", reports_bad, "Whether samples that cannot be used are reported.");
    field("shares", shares, "Whether rows are shared with other jobs of the same samples.");
    field("last_batch", last_batch, "What to do with the last batch of an epoch.");
    field("num_lanes", num_lanes, "Number of consumers that share each batch.");
    field("buckets", buckets, "Batches of samples of similar length.");
    field("mix", mix, "Sources of the samples, in given shares.");
    field("shards", shards, "Parts of the training set. Each is made by one worker.");
  }
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

// Returns the plan of a lane of a job.
loader::BatchPlan PlanOf(const JobSpec& job, int64_t lane);

// Returns the part of the sealed set that a job uses.
std::shared_ptr<const loader::TrainingSet> PartOf(
    const JobSpec& job, std::shared_ptr<const loader::TrainingSet> sealed);

}  // namespace tidemill::preprocess

template <>
struct tidemill::config::EnumNames<tidemill::loader::LastBatch> {
  static constexpr std::pair<loader::LastBatch, std::string_view> kNames[] = {
      {loader::LastBatch::kKeep, "keep"},
      {loader::LastBatch::kDrop, "drop"},
      {loader::LastBatch::kPad, "pad"},
      {loader::LastBatch::kWrap, "wrap"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::preprocess::OrderPurpose> {
  static constexpr std::pair<preprocess::OrderPurpose, std::string_view> kNames[] = {
      {preprocess::OrderPurpose::kShuffle, "shuffle"},
      {preprocess::OrderPurpose::kAuxiliary, "auxiliary"},
      {preprocess::OrderPurpose::kHeldOut, "held_out"}};
};
