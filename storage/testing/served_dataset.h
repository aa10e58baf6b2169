// A dataset in a storage process. What is read from it is compared with what was generated.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "batch/batch.h"
#include "storage/client/storage_client.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/storage_process.h"

namespace tidemill::storage::testing {

rpc::v1::Command NewCommand();

// A sample as storage returned it.
struct Sample {
  int64_t key = 0;
  int64_t event_time = 0;
  std::optional<int64_t> class_label;
  std::optional<double> real_label;
  std::string payload;
};

struct ReadResult {
  std::vector<Sample> samples;
  std::map<int64_t, std::string> missing;
  size_t num_missing = 0;
  size_t num_blocks = 0;
};

// Adds the rows of a batch.
void AppendTo(std::vector<Sample>& samples, const batch::Batch& rows);
// Adds a block.
void AppendTo(ReadResult& result, const batch::Batch& rows,
              const std::vector<v1::MissingSample>& missing);

// Runs storage with one dataset. A failure fails the test. Thread-compatible.
class Storage {
 public:
  explicit Storage(StorageSettings settings = {});

  // Registers and ingests the dataset.
  void Register(const GeneratedDataset& dataset);
  void Sync();

  v1::ListSamplesRequest ListRequest() const;
  std::vector<Sample> List(const v1::ListSamplesRequest& request) const;
  std::vector<int64_t> SortedKeys() const;
  ReadResult Read(const std::vector<int64_t>& keys,
                  const std::function<void()>& after_first_block = {}) const;

  StorageProcess process;
  StorageClient service;
  StorageClient operate;
  DatasetId id;
  rpc::v1::Snapshot snapshot;
};

std::vector<int64_t> Shuffled(std::vector<int64_t> keys, uint32_t seed);

// `keys` are the keys of the samples in order.
std::map<int64_t, const ExpectedSample*> ByKey(const GeneratedDataset& dataset,
                                               const std::vector<int64_t>& keys);

bool IsAsExpected(const Sample& sample, const ExpectedSample& expected);

// Expects that every sample was answered, in the requested order and with the right content.
void ExpectRight(const GeneratedDataset& dataset, const std::vector<int64_t>& sorted_keys,
                 const std::vector<int64_t>& asked, const ReadResult& result);

// Registers, ingests, and reads all keys in random order.
void ExpectServesEverySample(const GeneratedDataset& dataset, Storage& storage);

}  // namespace tidemill::storage::testing
