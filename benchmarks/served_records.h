// Records in the shape of Criteo's, served by a separate storage process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/bench_folder.h"
#include "benchmarks/fail.h"
#include "storage/client/storage_client.h"
#include "storage/testing/storage_process.h"

namespace tidemill::benchmarks {

inline constexpr int64_t kRecordBytes = 160;
inline constexpr int64_t kLabelBytes = 4;
inline constexpr int64_t kPayloadBytes = kRecordBytes - kLabelBytes;
inline constexpr int64_t kFirstEventTime = 1'500'000'000'000'000;
inline constexpr int64_t kEventTimeStep = 1000;

// `num_samples` records of 160 bytes in one file. They are ingested, and served over TCP on
// loopback or to clients on the host. Sample i has the key first_key() + i, and happened i
// milliseconds after the first. Ends the program when something fails.
class ServedRecords {
 public:
  enum class Served { kOverTcp, kLocally };

  explicit ServedRecords(int64_t num_samples, Served served = Served::kOverTcp);

  int64_t num_samples() const { return num_samples_; }
  int64_t first_key() const { return first_key_; }
  DatasetId dataset() const { return {snapshot_.dataset_id()}; }
  const rpc::v1::Snapshot& snapshot() const { return snapshot_; }
  const storage::StorageClient& client() const { return client_; }
  const std::string& connection_string() const { return process_.connection_string(); }
  const std::string& file() const { return file_; }

  // Kills storage and starts it again. Its clients wait until it serves.
  void Restart();

  // Returns the content of sample `i`.
  static std::string PayloadOf(int64_t i);
  static int64_t LabelOf(int64_t i);

 private:
  void WriteFile() const;

  const int64_t num_samples_;
  const BenchFolder folder_;
  storage::testing::StorageProcess process_;
  storage::StorageClient client_;
  const std::string file_;
  rpc::v1::Snapshot snapshot_;
  int64_t first_key_ = 0;
};

}  // namespace tidemill::benchmarks
