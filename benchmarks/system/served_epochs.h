// A stack with one preprocessing worker and one dataset, which makes epochs of training batches.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "loader/batch_source.h"
#include "loader/opened_set.h"
#include "loader/prepared/sample_cache.h"
#include "prepared/host_store.h"
#include "selector/client/selector_client.h"
#include "storage/client/storage_client.h"
#include "tests/stack.h"

namespace tidemill::benchmarks {

// The name of the dataset of a stack.
inline constexpr char kServedDataset[] = "data";

// A dataset and what is made of it.
struct Workload {
  std::string dataset;  // As a pipeline specifies it.
  std::string graph;
  std::string selection = "{type: all_data}";
  int64_t batch_size = 0;
  // Whether each epoch has its own selection.
  bool selects_anew = false;
};

// Records of a folder as WriteCriteoRecords() writes them.
Workload CriteoWorkload(const std::string& folder);
// Records of the same files, of which only the numbers are used, without any op on them.
Workload LightWorkload(const std::string& folder);
// A tenth of the records, another one for each epoch.
Workload TenthWorkload(const std::string& folder);
// Photographs *.jpg of 500x375 pixels, each with its label beside it in a file *.number. They are
// decoded, resized, cropped to 224x224 and normalised.
Workload PhotographWorkload(const std::string& folder);

// Writes this number of them.
void WritePhotographs(const std::string& folder, int64_t num_photographs);

// The process that makes the batches of an epoch, and how they arrive.
enum class Way {
  kHome,    // This process, with a thread for each processor.
  kRing,    // The worker, with as many threads; shared memory.
  kFrames,  // The worker; gRPC over TCP loopback.
};

// Thread-compatible.
class ServedEpochs {
 public:
  // Starts the stack, and ingests the dataset, whose files are in `folder`. Epochs read the
  // same samples, unless each has its own selection.
  static absl::StatusOr<std::unique_ptr<ServedEpochs>> Start(const Workload& workload,
                                                             const std::string& folder);

  // The folder that the command lines of all its processes name.
  const std::string& state() const { return stack_.state(); }
  // The stack, for its processes.
  const tests::Stack& stack() const { return stack_; }

  // Seals a training set of the samples before an event time, which the next epoch opens and the
  // later ones find opened.
  absl::Status Seal(int64_t seed, int64_t to = std::numeric_limits<int64_t>::max());

  // Opens the set with another graph, to make its batches in this process. Seals a training set
  // first, unless one was sealed.
  absl::StatusOr<loader::OpenedSet> OpenGraph(const std::string& graph);
  // Keeps rows of the samples there, after the op that autocache chooses, for later epochs of
  // Way::kHome. To be called once, with a set for all epochs.
  absl::Status KeepRowsIn(std::shared_ptr<const prepared::HostStore> store);
  // The name of the sealed set, for other processes. Seals one first, unless one was sealed.
  absl::StatusOr<loader::SetToOpen> NameSet();
  // What tells the records of the dataset apart (StorageClient::FindIdentities()).
  absl::StatusOr<std::vector<uint64_t>> Identify(std::span<const int64_t> keys) const {
    return storage_->FindIdentities(DatasetId{dataset_id_}, keys);
  }

  // Opens an epoch. Seals a training set first, unless one was sealed and is good for all epochs.
  absl::StatusOr<std::unique_ptr<loader::BatchSource>> Open(Way way, int64_t seed);

 private:
  explicit ServedEpochs(Workload workload) : workload_(std::move(workload)) {}
  absl::Status StartStack(const std::string& folder);
  absl::Status OpenSealed();

  const Workload workload_;
  tests::Stack stack_;
  int64_t dataset_id_ = 0;
  std::string dataset_;
  rpc::v1::Snapshot snapshot_;
  std::shared_ptr<const storage::StorageClient> storage_;  // The opened set shares it.
  std::optional<selector::SelectorClient> selector_;
  int64_t trigger_ = 0;
  std::optional<loader::OpenedSet> opened_;
  std::shared_ptr<loader::SampleCache> cache_;  // The streams share it.
};

}  // namespace tidemill::benchmarks
