#include "benchmarks/system/served_epochs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>
#include <utility>

#include "fmt/format.h"

#include "benchmarks/dataloader/jpeg_vs_dataloader_images.h"
#include "benchmarks/system/criteo_records.h"
#include "loader/batches/batch_stream.h"
#include "preprocess/client/worker_source.h"

namespace tidemill::benchmarks {
namespace {

constexpr int64_t kRun = 1;

constexpr char kPhotographs[] = R"(path: {}
files: "*.jpg"
format: {{type: single_file}}
event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1s}}}}
label: {{sidecar: .number, kind: class}}
settle: 1ms
)";

constexpr char kPhotographGraph[] = R"(
- decode_image: {height: 375, width: 500}
- resize: {height: 256, width: 341, antialias: true}
- crop: {height: 224, width: 224}
- normalize: {column: image, scale: 0.00392156862745098, mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}
- stack: {columns: [image], into: input}
- label: {into: target}
)";

constexpr char kNumbersGraph[] = R"(
- parse_record:
    fields:
      - {name: numbers, offset: 0, dtype: float32, shape: [13]}
- stack: {columns: [numbers], into: input}
- label: {into: target}
)";

rpc::v1::Command NewCommand(int64_t run) {
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  command.set_run_id(run);
  command.set_run_epoch(run);
  return command;
}

}  // namespace

Workload CriteoWorkload(const std::string& folder) {
  return {.dataset = CriteoDatasetSpec(folder), .graph = CriteoGraph(), .batch_size = 8192};
}

Workload LightWorkload(const std::string& folder) {
  return {.dataset = CriteoDatasetSpec(folder), .graph = kNumbersGraph, .batch_size = 8192};
}

Workload TenthWorkload(const std::string& folder) {
  Workload tenth = CriteoWorkload(folder);
  tenth.selection = "{type: uniform, fraction: 0.1}";
  tenth.selects_anew = true;
  return tenth;
}

Workload PhotographWorkload(const std::string& folder) {
  return {
      .dataset = fmt::format(kPhotographs, folder), .graph = kPhotographGraph, .batch_size = 32};
}

void WritePhotographs(const std::string& folder, int64_t num_photographs) {
  // Artificial photographs cost more to make than to decode, so that many files have the same
  // content.
  constexpr int64_t kContents = 64;
  std::filesystem::create_directories(folder);
  for (int64_t i = 0; i < kContents; ++i) {
    const std::string photograph = MakePhotograph(static_cast<uint32_t>(i), 375, 500, 90);
    for (int64_t number = i; number < num_photographs; number += kContents) {
      const std::string path = fmt::format("{}/{:04}", folder, number);
      std::ofstream(path + ".jpg", std::ios::binary) << photograph;
      std::ofstream(path + ".number") << number << "\n";
    }
  }
}

absl::StatusOr<std::unique_ptr<ServedEpochs>> ServedEpochs::Start(const Workload& workload,
                                                                  const std::string& folder) {
  std::unique_ptr<ServedEpochs> served(new ServedEpochs(workload));
  RETURN_IF_ERROR(served->StartStack(folder));
  return served;
}

absl::StatusOr<std::unique_ptr<loader::BatchSource>> ServedEpochs::Open(Way way, int64_t seed) {
  if (trigger_ == 0 || workload_.selects_anew) RETURN_IF_ERROR(Seal(seed));
  if (!opened_) RETURN_IF_ERROR(OpenSealed());
  const preprocess::JobSpec job = {.run_id = kRun,
                                   .trigger = trigger_,
                                   .dataset_id = dataset_id_,
                                   .dataset = dataset_,
                                   .graph = workload_.graph,
                                   .batch_size = workload_.batch_size,
                                   .seed = seed};
  const loader::BatchParts parts = {.set = opened_->set,
                                    .reader = opened_->reader,
                                    .graph = opened_->graph,
                                    .cache = way == Way::kHome ? cache_ : nullptr,
                                    .bad = opened_->bad};
  const loader::BatchPlan plan = preprocess::PlanOf(job, 0);
  if (way == Way::kHome) {
    const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    return loader::BatchStream::Create(parts, plan, {.num_threads = cores});
  }
  ASSIGN_OR_RETURN(auto maker, loader::BatchMaker::Create(parts, plan));
  const auto transport =
      way == Way::kFrames ? preprocess::Transport::kFrames : preprocess::Transport::kAuto;
  return preprocess::WorkerSource::Open(job, "", std::move(maker),
                                        {.dispatcher = stack_.PeerOf("preprocess"),
                                         .job_name = rpc::NewRequestId(),
                                         .link = {.transport = transport}});
}

absl::Status ServedEpochs::StartStack(const std::string& folder) {
  const tests::CommandResult up = stack_.Tidemill({"up"}, {{"TIDEMILL_WORKERS", "1"}});
  if (up.exit_code != 0) return Internal("the stack does not start: {}{}", up.err, stack_.Logs());
  std::ofstream(stack_.state() + "/data_roots") << folder << "\n";
  const storage::StorageClient operators(stack_.PeerOf("storage", rpc::v1::ROLE_OPERATOR));
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  ASSIGN_OR_RETURN(const auto registered,
                   operators.RegisterDataset(kServedDataset, workload_.dataset, command));
  dataset_id_ = registered.dataset_id();
  storage_ = std::make_shared<const storage::StorageClient>(stack_.PeerOf("storage"));
  ASSIGN_OR_RETURN(snapshot_, storage_->SyncDataset(DatasetId{dataset_id_}, [](const auto&) {}));
  ASSIGN_OR_RETURN(const auto known, storage_->GetDataset(kServedDataset));
  dataset_ = known.spec();
  selector_.emplace(stack_.PeerOf("selector"));
  return absl::OkStatus();
}

absl::Status ServedEpochs::Seal(int64_t seed, int64_t to) {
  selector::v1::SealTrainingSetRequest seal;
  *seal.mutable_command() = NewCommand(kRun);
  seal.set_trigger(++trigger_);
  *seal.mutable_snapshot() = snapshot_;
  seal.mutable_to()->set_event_time(to);
  seal.set_selection(workload_.selection);
  seal.set_seed(seed);
  opened_.reset();
  return selector_->SealTrainingSet(seal).status();
}

absl::Status ServedEpochs::OpenSealed() {
  ASSIGN_OR_RETURN(opened_, OpenGraph(workload_.graph));
  return absl::OkStatus();
}

absl::StatusOr<loader::SetToOpen> ServedEpochs::NameSet() {
  if (trigger_ == 0) RETURN_IF_ERROR(Seal(1));
  return loader::SetToOpen{.run = RunId{kRun},
                           .trigger = trigger_,
                           .dataset_id = DatasetId{dataset_id_},
                           .dataset = dataset_,
                           .graph = workload_.graph};
}

absl::StatusOr<loader::OpenedSet> ServedEpochs::OpenGraph(const std::string& graph) {
  ASSIGN_OR_RETURN(loader::SetToOpen set, NameSet());
  set.graph = graph;
  return loader::OpenSet(std::move(set), *selector_, storage_);
}

absl::Status ServedEpochs::KeepRowsIn(std::shared_ptr<const prepared::HostStore> store) {
  if (trigger_ == 0) RETURN_IF_ERROR(Seal(1));
  if (!opened_) RETURN_IF_ERROR(OpenSealed());
  constexpr double kManyEpochs = 9;
  ASSIGN_OR_RETURN(
      auto cache, loader::SampleCache::Create(
                      {.mode = loader::CacheMode::kAuto,
                       .store = std::move(store),
                       .graph = opened_->graph,
                       .identify = [this](std::span<const int64_t> keys) { return Identify(keys); },
                       .num_samples = opened_->set->size(),
                       .uses = kManyEpochs}));
  cache_ = std::move(cache);
  return absl::OkStatus();
}

}  // namespace tidemill::benchmarks
