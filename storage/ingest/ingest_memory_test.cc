// What an ingest of one large file costs the storage process.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "gmock/gmock.h"

#include "base/mutex.h"
#include "base/testing/process_memory.h"
#include "base/testing/status_matchers.h"
#include "storage/testing/storage_process.h"

namespace tidemill::storage {
namespace {

using testing::StorageProcess;
using tidemill::testing::IsOk;

constexpr int64_t kNumRecords = 2'000'000;
constexpr int64_t kRecordBytes = 16;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// What a sanitizer keeps of freed memory and beside each word.
constexpr int64_t kMaxBytes = int64_t{1} << 30;
#else
// Three batches of a quarter of a million records. The index of all records would be larger.
constexpr int64_t kMaxBytes = int64_t{128} << 20;
#endif

void WriteRecords(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (int64_t i = 0; i < kNumRecords; ++i) {
    const int64_t record[] = {i % 7, i};
    static_assert(sizeof(record) == kRecordBytes);
    file.write(reinterpret_cast<const char*>(record), kRecordBytes);
  }
}

TEST(IngestMemory, DoesNotDependOnTheSizeOfAFile) {
  StorageProcess process;
  WriteRecords(process.data_folder() + "/large.bin");
  process.Start();
  const StorageClient client = process.ClientAs(rpc::v1::ROLE_SERVICE);
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  const auto registered = client.RegisterDataset(
      "large",
      fmt::format("path: {}\nformat: {{type: binary, record_bytes: {}}}\n"
                  "label: {{record: {{offset: 0, width: 8}}}}\n"
                  "event_time: {{row: {{start: 2020-01-01T00:00:00Z, step: 1ms}}}}\n",
                  process.data_folder(), kRecordBytes),
      command);
  ASSERT_THAT(registered, IsOk());
  const int64_t before = tidemill::testing::AnonymousBytesOf(process.process());
  ASSERT_GT(before, 0);
  int64_t most = before;
  std::jthread observer([&](const std::stop_token& stop) {
    Mutex mutex;
    CondVar wake;
    while (!stop.stop_requested()) {
      most = std::max(most, tidemill::testing::AnonymousBytesOf(process.process()));
      MutexLock lock(mutex);
      wake.wait_for(mutex, stop, std::chrono::milliseconds{2}, [] { return false; });
    }
  });
  const auto synced = client.SyncDataset({registered->dataset_id()}, {});
  observer.request_stop();
  observer.join();
  ASSERT_THAT(synced, IsOk());
  EXPECT_EQ(synced->committed_key() & ((int64_t{1} << 44) - 1), kNumRecords);
  EXPECT_LT(most - before, kMaxBytes);
  RecordProperty("anonymous_bytes", std::to_string(most - before));
}

}  // namespace
}  // namespace tidemill::storage
