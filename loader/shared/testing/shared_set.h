// A small set whose rows are shared, and what its consumers see.
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "base/digest.h"
#include "loader/batches/batch_stream.h"
#include "loader/testing/small_set.h"

namespace tidemill::loader::testing {

inline constexpr int64_t kSharedSamples = 1003;

// Rows of 16 KiB, so that the set has 16 chunks of 64 rows. What is drawn is visible.
inline constexpr char kWideGraph[] =
    "- parse_csv: {columns: [a]}\n- reshape: {column: a, shape: [1, 1]}\n"
    "- random_crop: {column: a, height: 64, width: 64, padding: 64, into: input}\n"
    "- label: {into: target}\n";

// A new folder in shared memory, which is removed at the end.
class SharedFolder {
 public:
  SharedFolder() {
    static std::atomic<int> number = 0;
    path_ = fmt::format("/dev/shm/tidemill-test-{}-{}", getpid(), number++);
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  ~SharedFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  // The files of chunks, of all streams.
  std::vector<std::filesystem::path> Chunks() const {
    std::vector<std::filesystem::path> chunks;
    std::error_code gone;
    for (const auto& file : std::filesystem::recursive_directory_iterator(path_, gone)) {
      if (file.path().extension() == ".rows") chunks.push_back(file.path());
    }
    return chunks;
  }
  // Whether nothing is left, as when the last consumer has left.
  bool IsGone() const { return !std::filesystem::exists(path_); }

 private:
  std::string path_;
};

inline BatchParts SharedParts(std::shared_ptr<const Sharing> sharing) {
  static const auto set = Shared(MakeSet(kSharedSamples));
  static const auto graph = MakeGraph(kWideGraph);
  return {.set = set, .reader = ReadSamples, .graph = graph, .sharing = std::move(sharing)};
}

inline std::shared_ptr<const Sharing> SharingIn(const std::string& folder, bool is_strict,
                                                int64_t bytes = int64_t{64} << 20) {
  return std::make_shared<const Sharing>(
      Sharing{.folder = folder, .bytes = bytes, .is_strict = is_strict, .origin = "dataset 1"});
}

// All that a training can see of a batch, as a digest.
inline std::string DigestOf(const TrainingBatch& batch) {
  Sha256Stream digest;
  digest.Add(fmt::format("{} {} {} {} {} {}", batch.epoch, batch.index, batch.num_skipped,
                         batch.num_filtered, batch.reason, batch.rows.num_rows()));
  for (const batch::Column& column : batch.rows.columns()) {
    digest.Add(column.name);
    digest.Add(column.data.view());
    digest.Add(column.validity.view());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(column.data.data()) % 64, 0u);
  }
  return digest.Finish();
}

// The digests of all batches of a plan that shares nothing.
inline std::vector<std::string> Unshared(const BatchPlan& plan) {
  const auto maker = BatchMaker::Create(SharedParts(nullptr), plan);
  EXPECT_TRUE(maker.ok()) << maker.status();
  std::vector<std::string> digests;
  for (int64_t number = plan.first_batch; number < (*maker)->end(); ++number) {
    const auto made = (*maker)->Make(number, number + 1, {});
    EXPECT_TRUE(made.ok()) << made.status();
    if (made.ok()) digests.push_back(DigestOf(made->front()));
  }
  return digests;
}

}  // namespace tidemill::loader::testing
