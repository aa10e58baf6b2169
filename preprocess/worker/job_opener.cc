#include "preprocess/worker/job_opener.h"

#include <memory>
#include <string>
#include <utility>

#include "config/config.h"
#include "loader/opened_set.h"
#include "preprocess/client/job_samples.h"
#include "rpc/callers/job_scope.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"
#include "transform/cut_points.h"

namespace tidemill::preprocess {
namespace {

// Windows of buckets that are kept for the other lanes of a job.
constexpr int64_t kWindowBytes = int64_t{64} << 20;
// Keys and weights of sealed sets that are kept for later jobs: eight million keys.
constexpr int64_t kSetBytes = int64_t{64} << 20;

absl::StatusOr<std::shared_ptr<const transform::FittedState>> DecodeFitted(
    const std::string& bytes) {
  if (bytes.empty()) return std::shared_ptr<const transform::FittedState>();
  ASSIGN_OR_RETURN(transform::FittedState fitted, transform::FittedState::Decode(bytes));
  return std::make_shared<const transform::FittedState>(std::move(fitted));
}

// The worker has a service's rights. For the process of a job it reads only what that may read: the
// spec comes from there.
absl::Status CheckScope(const v1::GetJobResponse& known, const JobSpec& spec) {
  const rpc::JobScope scope(known.scope());
  storage::v1::ReadSamplesRequest samples;
  samples.set_dataset_id(spec.dataset_id);
  RETURN_IF_ERROR(scope.Check(samples));
  if (!known.samples().key_steps().empty()) return absl::OkStatus();
  selector::v1::ReadTrainingSetRequest set;
  set.set_run_id(spec.run_id);
  set.set_trigger(spec.trigger);
  return scope.Check(set);
}

absl::StatusOr<std::shared_ptr<loader::SampleCache>> OpenCache(
    const JobSpec& spec, const loader::BatchParts& parts,
    const std::shared_ptr<const storage::StorageClient>& storage,
    const std::shared_ptr<const prepared::HostStore>& prepared) {
  if (spec.cache->IsOff()) return std::shared_ptr<loader::SampleCache>();
  loader::CacheSetup setup{
      .store = prepared,
      .graph = parts.graph,
      .fitted = parts.fitted,
      .identify =
          [storage, dataset = DatasetId{spec.dataset_id}](std::span<const int64_t> keys) {
            return storage->FindIdentities(dataset, keys);
          },
      .standardize_target = spec.standardize_target,
      .ignores_labels = spec.ignores_labels,
      .num_samples = parts.set->size(),
      .uses = spec.uses,
      .finds_kept = spec.finds_kept,
      .about = fmt::format("run {}, trigger {}", spec.run_id, spec.trigger)};
  if (const auto op = spec.cache->AfterOp()) {
    setup.mode = loader::CacheMode::kAfter;
    ASSIGN_OR_RETURN(const transform::CutPoint point, transform::CutPointAfter(*parts.graph, *op));
    setup.after_op = point.last_op;
  }
  ASSIGN_OR_RETURN(auto cache, loader::SampleCache::Create(std::move(setup)));
  return std::shared_ptr<loader::SampleCache>(std::move(cache));
}

}  // namespace

Worker::JobOpener MakeJobOpener(const rpc::Peer& selector, const rpc::Peer& storage,
                                const std::shared_ptr<const prepared::HostStore>& prepared,
                                const loader::Sharing& sharing) {
  // Shared by the jobs: opening one needs no new connection. Readers may outlive the opener.
  const auto store = std::make_shared<const storage::StorageClient>(storage);
  const auto client = std::make_shared<selector::SelectorClient>(selector);
  const auto sets = std::make_shared<loader::TrainingSetCache>(kSetBytes);
  return [client, sets, store, prepared,
          sharing](const v1::GetJobResponse& known) -> absl::StatusOr<OpenedJob> {
    OpenedJob opened;
    ASSIGN_OR_RETURN(opened.spec, config::ReadKept<JobSpec>(known.spec(), known.name()));
    const JobSpec& spec = opened.spec;
    if (known.has_scope()) RETURN_IF_ERROR(CheckScope(known, spec));
    opened.holder = known.scope().holder();
    ASSIGN_OR_RETURN(opened.parts.fitted, DecodeFitted(known.fitted()));
    ASSIGN_OR_RETURN(loader::OpenedSet set, loader::OpenSet({.run = {spec.run_id},
                                                             .trigger = spec.trigger,
                                                             .dataset_id = {spec.dataset_id},
                                                             .dataset = spec.dataset,
                                                             .graph = spec.graph,
                                                             .keys = KeysOf(known.samples()),
                                                             .cache = sets.get()},
                                                            *client, store));
    opened.parts.graph = set.graph;
    opened.parts.reader =
        spec.ignores_labels ? loader::WithoutLabels(set.reader) : std::move(set.reader);
    if (spec.reports_bad) opened.parts.bad = set.bad;
    if (spec.shares && sharing.bytes > 0 && !spec.ignores_labels) {
      loader::Sharing of_dataset = sharing;
      of_dataset.is_in_order = false;
      of_dataset.origin = loader::OriginOf(spec.dataset_id);
      opened.parts.sharing = std::make_shared<const loader::Sharing>(std::move(of_dataset));
    }
    opened.parts.set = PartOf(spec, std::move(set.set));
    ASSIGN_OR_RETURN(std::shared_ptr<const loader::Subset> chosen,
                     ChosenOf(known.samples(), opened.parts.set->size()));
    ASSIGN_OR_RETURN(opened.division,
                     DivideSet(spec, *opened.parts.set, std::move(chosen), *store));
    ASSIGN_OR_RETURN(opened.parts.cache, OpenCache(spec, opened.parts, store, prepared));
    if (spec.buckets && spec.num_lanes > 1 && !spec.shards) {
      opened.parts.windows = std::make_shared<loader::WindowCache>(kWindowBytes);
    }
    return opened;
  };
}

}  // namespace tidemill::preprocess
