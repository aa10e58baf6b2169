// What storage says about samples without reading them.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/served_dataset.h"

namespace tidemill::storage {
namespace {

using testing::ByKey;
using testing::ExpectedSample;
using testing::GeneratedDataset;
using testing::MakeCsv;
using testing::MakeRecords;
using testing::MakeSingleFiles;
using testing::MakeSmallRecords;
using testing::NewCommand;
using testing::Shuffled;
using testing::Storage;
using tidemill::testing::IsOk;

struct Described {
  std::vector<int64_t> keys;
  std::vector<int64_t> files;
  std::vector<int64_t> event_times;
  std::vector<std::optional<int64_t>> classes;
  std::map<int64_t, std::string> paths;
  int64_t largest_batch = 0;
};

Described Describe(const Storage& storage, const std::vector<int64_t>& keys) {
  Described described;
  EXPECT_THAT(storage.service.DescribeSamples(
                  storage.id, keys,
                  [&](const batch::Batch& rows,
                      const std::vector<v1::DescribeSamplesResponse::File>& files) {
                    for (const auto& file : files) described.paths[file.file_id()] = file.path();
                    const batch::Column* const classes = rows.Find(batch::kClassLabelColumn);
                    for (int64_t row = 0; row < rows.num_rows(); ++row) {
                      const auto at = static_cast<size_t>(row);
                      described.keys.push_back(rows.keys()[at]);
                      described.files.push_back(rows.Find("file")->Values<int64_t>()[at]);
                      described.event_times.push_back(
                          rows.Find(batch::kEventTimeColumn)->Values<int64_t>()[at]);
                      const bool has_class = classes != nullptr && classes->IsValid(row);
                      described.classes.push_back(
                          has_class ? std::optional(classes->Values<int64_t>()[at]) : std::nullopt);
                    }
                    described.largest_batch = std::max(described.largest_batch, rows.num_rows());
                    return absl::OkStatus();
                  }),
              IsOk());
  return described;
}

void ExpectRight(const GeneratedDataset& dataset, Storage& storage) {
  storage.Register(dataset);
  const std::vector<int64_t> sorted = storage.SortedKeys();
  const auto expected = ByKey(dataset, sorted);
  for (const std::vector<int64_t>& keys : {sorted, Shuffled(sorted, 3)}) {
    const Described described = Describe(storage, keys);
    ASSERT_EQ(described.keys, keys);
    for (size_t i = 0; i < keys.size(); ++i) {
      const ExpectedSample& sample = *expected.at(keys[i]);
      ASSERT_EQ(described.classes[i], sample.class_label);
      ASSERT_EQ(described.event_times[i], sample.event_time);
      if (sample.file.empty()) continue;
      ASSERT_EQ(described.paths.at(described.files[i]), sample.file);
    }
  }
}

TEST(DescribeSamples, NamesClassAndFileOfEachKeyInTheOrderAsked) {
  Storage storage;
  ExpectRight(MakeCsv(storage.process.data_folder(), 5000), storage);
}

TEST(DescribeSamples, NamesTheFilesOfSamplesThatHaveOneEach) {
  Storage storage;
  ExpectRight(MakeSingleFiles(storage.process.data_folder(), 3000), storage);
}

TEST(DescribeSamples, LeavesOutClassesWhereThereAreNone) {
  Storage storage;
  ExpectRight(MakeRecords(storage.process.data_folder(), 1000), storage);
}

TEST(DescribeSamples, LeavesOutUnknownKeysAndKeepsThoseThatWereDeleted) {
  Storage storage;
  storage.Register(MakeCsv(storage.process.data_folder(), 500));
  const std::vector<int64_t> keys = storage.SortedKeys();
  const Described before = Describe(storage, keys);
  const std::vector<int64_t> deleted = {keys[3], keys[400]};
  ASSERT_THAT(storage.operate.DeleteSamples(storage.id, deleted, NewCommand()), IsOk());
  std::vector<int64_t> asked = keys;
  asked.insert(asked.begin(), keys.back() + 1'000'000);
  asked.push_back(-7);
  const Described after = Describe(storage, asked);
  EXPECT_EQ(after.keys, keys);
  EXPECT_EQ(after.classes, before.classes);
  EXPECT_EQ(after.files, before.files);
  EXPECT_TRUE(Describe(storage, {}).keys.empty());
}

TEST(DescribeSamples, TakesAMillionKeysInBoundedPieces) {
  Storage storage;
  constexpr int64_t kMany = 1'000'000;
  storage.Register(MakeSmallRecords(storage.process.data_folder(), kMany));
  const std::vector<int64_t> keys = storage.SortedKeys();
  ASSERT_EQ(std::ssize(keys), kMany);
  const Described described = Describe(storage, keys);
  EXPECT_EQ(described.keys, keys);
  EXPECT_EQ(described.paths.size(), 1u);
  EXPECT_LE(described.largest_batch, 65'536);
}

TEST(DescribeSamples, AnUnknownDatasetIsNotFound) {
  Storage storage;
  const std::vector<int64_t> keys = {1};
  const auto ignore = [](const auto&, const auto&) { return absl::OkStatus(); };
  EXPECT_EQ(storage.service.DescribeSamples(DatasetId{12345}, keys, ignore).code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tidemill::storage
