// Storage as other services meet it: a separate process, seen through its client.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <thread>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/generated_formats.h"
#include "storage/testing/served_dataset.h"
#include "storage/testing/storage_process.h"

namespace tidemill::storage {
namespace {

using ::testing::AnyOf;
using testing::ByKey;
using ::testing::ElementsAreArray;
using testing::ExpectedSample;
using testing::ExpectRight;
using testing::ExpectServesEverySample;
using testing::GeneratedDataset;
using ::testing::HasSubstr;
using testing::IsAsExpected;
using ::testing::IsEmpty;
using testing::MakeCsv;
using testing::MakeGzippedIdx;
using testing::MakeRecords;
using testing::MakeSeries;
using testing::MakeSingleFiles;
using testing::NewCommand;
using testing::ReadResult;
using testing::Sample;
using testing::Shuffled;
using ::testing::SizeIs;
using testing::Storage;
using testing::StorageProcess;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr int kNumKeys = 100'000;

TEST(StorageServer, ServesShuffledCsvByContent) {
  Storage storage;
  ExpectServesEverySample(MakeCsv(storage.process.data_folder(), kNumKeys), storage);
}

TEST(StorageServer, ServesShuffledWindowsOfASeriesByContent) {
  Storage storage;
  ExpectServesEverySample(MakeSeries(storage.process.data_folder(), kNumKeys), storage);
}

TEST(StorageServer, ServesShuffledRecordsWithoutTheirLabelsByContent) {
  Storage storage;
  ExpectServesEverySample(MakeRecords(storage.process.data_folder(), kNumKeys), storage);
}

TEST(StorageServer, ServesShuffledGzippedIdxByContent) {
  Storage storage;
  ExpectServesEverySample(MakeGzippedIdx(storage.process.data_folder(), kNumKeys), storage);
}

TEST(StorageServer, ServesShuffledJsonLinesByContent) {
  Storage storage;
  ExpectServesEverySample(testing::MakeJsonl(storage.process.data_folder(), kNumKeys), storage);
}

TEST(StorageServer, ServesShuffledMembersOfTarsByContent) {
  Storage storage;
  ExpectServesEverySample(testing::MakeTar(storage.process.data_folder(), kNumKeys / 10), storage);
}

TEST(StorageServer, ServesShuffledTfRecordsByContent) {
  Storage storage;
  ExpectServesEverySample(testing::MakeTfRecords(storage.process.data_folder(), kNumKeys), storage);
}

TEST(StorageServer, ServesShuffledSingleFilesByContentAsOftenAsAsked) {
  Storage storage;
  const GeneratedDataset dataset = MakeSingleFiles(storage.process.data_folder(), kNumKeys / 10);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  ASSERT_THAT(keys, SizeIs(dataset.samples.size()));
  std::vector<int64_t> asked;
  for (uint32_t i = 0; i < 10; ++i) asked.insert(asked.end(), keys.begin(), keys.end());
  asked = Shuffled(asked, 1);
  ExpectRight(dataset, keys, asked, storage.Read(asked));
}

TEST(StorageServer, ListsInTheOrderOfTimeInSlicesThatPartitionTheInterval) {
  Storage storage;
  const GeneratedDataset dataset = MakeRecords(storage.process.data_folder(), 3000);
  storage.Register(dataset);
  const auto expected = ByKey(dataset, storage.SortedKeys());
  std::vector<std::pair<int64_t, int64_t>> in_order;
  for (const auto& [key, sample] : expected) in_order.emplace_back(sample->event_time, key);
  std::sort(in_order.begin(), in_order.end());
  in_order.erase(in_order.begin() + 2500, in_order.end());
  in_order.erase(in_order.begin(), in_order.begin() + 100);

  v1::ListSamplesRequest request = storage.ListRequest();
  request.set_with_labels(true);
  request.mutable_from()->set_event_time(in_order.front().first);
  request.mutable_from()->set_sample_key(in_order.front().second);
  request.mutable_to()->set_event_time(in_order.back().first);
  request.mutable_to()->set_sample_key(in_order.back().second + 1);
  request.set_num_workers(4);
  std::vector<std::pair<int64_t, int64_t>> listed;
  for (int32_t worker = 0; worker < 4; ++worker) {
    request.set_worker_index(worker);
    for (const Sample& sample : storage.List(request)) {
      listed.emplace_back(sample.event_time, sample.key);
      EXPECT_EQ(sample.real_label, expected.at(sample.key)->real_label);
    }
  }
  EXPECT_EQ(listed, in_order);
}

TEST(StorageServer, ASnapshotExcludesWhatIsIngestedLater) {
  Storage storage;
  const GeneratedDataset dataset = MakeCsv(storage.process.data_folder(), 500);
  std::filesystem::rename(dataset.folder + "/part-0.csv", dataset.folder + "/later");
  storage.Register(dataset);
  const v1::ListSamplesRequest early = storage.ListRequest();
  const std::vector<int64_t> early_keys = storage.SortedKeys();
  EXPECT_THAT(early_keys, SizeIs(400));
  std::filesystem::rename(dataset.folder + "/later", dataset.folder + "/part-9.csv");
  storage.Sync();
  EXPECT_THAT(storage.SortedKeys(), SizeIs(500));
  std::vector<int64_t> keys;
  for (const Sample& sample : storage.List(early)) keys.push_back(sample.key);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(keys, early_keys);
  EXPECT_THAT(storage.Read(storage.SortedKeys()).samples, SizeIs(500));
}

TEST(StorageServer, RecordsOfAReplacedFileKeepTheirKeysWhereverTheyAreNow) {
  Storage storage;
  const GeneratedDataset dataset = MakeCsv(storage.process.data_folder(), 500);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  // Opens the old file, and keeps it open.
  ExpectRight(dataset, keys, keys, storage.Read(keys));
  // Another first record pushes the others on; the second one is gone.
  std::ofstream(dataset.folder + "/new")
      << "id,happened,note,animal\n900,2030-01-01 00:00:00,the new record is longer,owl\n";
  std::ofstream replacement(dataset.folder + "/new", std::ios::app);
  for (size_t i = 0; i < 100; ++i) {
    if (i != 1) replacement << dataset.samples[i].payload << "\n";
  }
  replacement.close();
  std::filesystem::rename(dataset.folder + "/new", dataset.folder + "/part-0.csv");
  storage.Sync();
  const ReadResult result = storage.Read(keys);
  EXPECT_THAT(result.missing, SizeIs(1));
  EXPECT_THAT(result.missing.at(keys[1]), HasSubstr("deleted"));
  const auto expected = ByKey(dataset, keys);
  for (const Sample& sample : result.samples) {
    EXPECT_TRUE(IsAsExpected(sample, *expected.at(sample.key)));
  }
  EXPECT_THAT(storage.SortedKeys(), SizeIs(500));
  EXPECT_EQ(storage.Read({storage.SortedKeys().back()}).samples.front().payload,
            "900,2030-01-01 00:00:00,the new record is longer,owl");
}

TEST(StorageServer, DeletedAndUnknownKeysAreNamedAsMissing) {
  Storage storage;
  storage.Register(MakeCsv(storage.process.data_folder(), 500));
  const v1::ListSamplesRequest before = storage.ListRequest();
  const std::vector<int64_t> keys = storage.SortedKeys();
  const std::vector<int64_t> deleted = {keys[3], keys[400]};
  const rpc::v1::Command command = NewCommand();
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto answer = storage.operate.DeleteSamples(storage.id, deleted, command);
    ASSERT_THAT(answer, IsOk());
    EXPECT_EQ(answer->num_deleted(), 2) << "the same command gets the same answer";
  }
  std::vector<int64_t> asked = keys;
  asked.push_back(keys[3]);
  asked.push_back(keys.back() + 1'000'000);
  const ReadResult result = storage.Read(asked);
  EXPECT_THAT(result.samples, SizeIs(498));
  EXPECT_EQ(result.num_missing, 4);
  EXPECT_THAT(result.missing.at(keys[3]), HasSubstr("deleted"));
  EXPECT_THAT(result.missing.at(keys[400]), HasSubstr("deleted"));
  EXPECT_THAT(result.missing.at(asked.back()), HasSubstr("unknown"));
  EXPECT_THAT(storage.List(before), SizeIs(500)) << "an earlier snapshot keeps them";
  storage.Sync();
  EXPECT_THAT(storage.List(storage.ListRequest()), SizeIs(498));
}

TEST(StorageServer, AFileTruncatedUnderARunningReadCostsThatFileOnly) {
  Storage storage;
  const GeneratedDataset dataset = MakeRecords(storage.process.data_folder(), kNumKeys);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  const auto expected = ByKey(dataset, keys);
  const ReadResult result = storage.Read(
      Shuffled(keys, 2), [&] { std::filesystem::resize_file(dataset.folder + "/1/r.bin", 4); });
  ASSERT_GT(result.num_blocks, 10);
  EXPECT_EQ(result.samples.size() + result.num_missing, keys.size());
  EXPECT_GT(result.num_missing, 0);
  for (const auto& [key, reason] : result.missing) {
    ASSERT_EQ(expected.at(key)->file, "1/r.bin");
    // On a busy machine storage has taken in the change before the read is over.
    ASSERT_THAT(reason, AnyOf(HasSubstr("no longer in its file"), HasSubstr("was deleted")));
  }
  for (const Sample& sample : result.samples) {
    ASSERT_TRUE(IsAsExpected(sample, *expected.at(sample.key)));
  }
}

TEST(StorageServer, ServesTheSameAfterKillMinusNine) {
  Storage storage;
  const GeneratedDataset dataset = MakeCsv(storage.process.data_folder(), 5000);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  storage.process.Kill();
  // One lost column file is made again.
  std::filesystem::remove(*std::filesystem::recursive_directory_iterator(
      storage.process.storage_folder() + "/segments/" + std::to_string(storage.id.value)));
  storage.process.Start();
  EXPECT_EQ(storage.SortedKeys(), keys);
  const std::vector<int64_t> asked = Shuffled(keys, 3);
  ExpectRight(dataset, keys, asked, storage.Read(asked));
  const auto described = storage.service.GetDataset(dataset.name);
  ASSERT_THAT(described, IsOk());
  EXPECT_EQ(described->num_samples(), 5000);
  EXPECT_EQ(described->num_files(), 5);
  EXPECT_EQ(described->first_event_time(), dataset.samples.front().event_time);
  EXPECT_EQ(described->last_event_time(), dataset.samples.back().event_time);
}

TEST(StorageServer, TellsWhatIsFilteredByWhichConditionAndItsLedgerBalances) {
  Storage storage;
  const std::string folder = storage.process.data_folder() + "/f";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/a.csv") << "t,v\n1,1\n2,0\n3,\n4,1\n5,x\n";
  std::ofstream(folder + "/b.csv") << "t,v\n6,1\n7,0\n";
  const auto registered = storage.operate.RegisterDataset(
      "f",
      "path: " + folder +
          "\nfiles: \"*.csv\"\nformat: csv\nevent_time: {column: t, format: unix}\n"
          "where: v = 1\nsettle: 1us\n",
      NewCommand());
  ASSERT_THAT(registered, IsOk());
  const DatasetId id{registered->dataset_id()};
  ASSERT_THAT(storage.operate.SyncDataset(id, {}), IsOk());
  const auto dataset = storage.operate.GetDataset("f");
  ASSERT_THAT(dataset, IsOk());
  EXPECT_EQ(dataset->num_samples(), 3);
  EXPECT_EQ(dataset->left_out().num_filtered(), 3);
  EXPECT_EQ(dataset->left_out().num_records(), 1);
  EXPECT_EQ(dataset->left_out().num_seen(), 7);
  EXPECT_EQ(dataset->left_out().where(), "v = 1");
  EXPECT_EQ(dataset->ledger().num_known(), 7);
  EXPECT_EQ(dataset->ledger().num_used(), 3);
  EXPECT_EQ(dataset->ledger().num_filtered(), 3);
  EXPECT_EQ(dataset->ledger().num_bad(), 1);
  const auto statistics = storage.operate.GetStatistics(id, 0);
  ASSERT_THAT(statistics, IsOk());
  ASSERT_EQ(statistics->files_size(), 2);
  EXPECT_EQ(statistics->files(0).num_filtered(), 2);
  EXPECT_EQ(statistics->files(1).num_filtered(), 1);
}

TEST(StorageServer, ServesOverTcpByContentAlsoWhenItIsCutOffTwice) {
  Storage storage({.tcp = true});
  const GeneratedDataset dataset = MakeRecords(storage.process.data_folder(), kNumKeys);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  const std::vector<int64_t> asked = Shuffled(keys, 5);
  // The second time before a block is sent.
  const ReadResult result = storage.Read(asked, [&] {
    storage.process.Kill();
    storage.process.Start("storage.send_block=error:9");
  });
  ExpectRight(dataset, keys, asked, result);
}

TEST(StorageServer, AListThatIsCutOffResumesAfterWhatWasDelivered) {
  Storage storage;
  storage.Register(MakeCsv(storage.process.data_folder(), 50'000));
  const std::vector<int64_t> keys = storage.SortedKeys();
  storage.process.Kill();
  storage.process.Start("storage.send_list=error:1");
  EXPECT_EQ(storage.SortedKeys(), keys);
}

TEST(StorageServer, AReadThatIsCutOffResumesAfterWhatWasReceived) {
  Storage storage;
  const GeneratedDataset dataset = MakeRecords(storage.process.data_folder(), kNumKeys);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  const std::vector<int64_t> asked = Shuffled(keys, 4);
  const ReadResult result = storage.Read(asked, [&] {
    storage.process.Kill();
    storage.process.Start();
  });
  ExpectRight(dataset, keys, asked, result);
}

TEST(StorageServer, ACommandWhoseAnswerWasLostTakesEffectOnce) {
  Storage storage;
  const GeneratedDataset dataset = MakeCsv(storage.process.data_folder(), 100);
  storage.process.Kill();
  storage.process.Start("storage.after_command=kill:2");
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  std::thread restart([&] {
    storage.process.AwaitEnd();
    storage.process.Start();
  });
  const std::vector<int64_t> deleted = {keys[5], keys[6]};
  const auto answer = storage.operate.DeleteSamples(storage.id, deleted, NewCommand());
  restart.join();
  ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answer->num_deleted(), 2);
  EXPECT_THAT(storage.Read(keys).samples, SizeIs(98));
}

TEST(StorageServer, ACommandOnBehalfOfARunIsRefusedAndChangesNothing) {
  Storage storage;
  storage.Register(MakeCsv(storage.process.data_folder(), 10));
  rpc::v1::Command command = NewCommand();
  command.set_run_id(7);
  command.set_run_epoch(std::numeric_limits<int64_t>::max());
  const std::vector<int64_t> keys = storage.SortedKeys();
  EXPECT_EQ(storage.operate.DeleteSamples(storage.id, {{keys[0]}}, command).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(storage.Read({keys[0]}).samples, SizeIs(1));
  EXPECT_THAT(storage.operate.DeleteSamples(storage.id, {{keys[0]}}, NewCommand()), IsOk());
}

TEST(StorageServer, DeletingADatasetLeavesTheFilesAlone) {
  Storage storage;
  const GeneratedDataset dataset = MakeCsv(storage.process.data_folder(), 100);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  const rpc::v1::Command command = NewCommand();
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto deleted = storage.operate.DeleteDataset(dataset.name, command);
    ASSERT_THAT(deleted, IsOk());
    EXPECT_TRUE(deleted->existed());
  }
  EXPECT_THAT(storage.service.GetDataset(dataset.name),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(dataset.name)));
  EXPECT_EQ(storage.service
                .ReadSamples(storage.id, keys,
                             [](const batch::Batch&, const std::vector<v1::MissingSample>&) {
                               return absl::OkStatus();
                             })
                .code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(std::filesystem::exists(dataset.folder + "/part-0.csv"));
}

TEST(StorageServer, ASinkThatFailsEndsTheRead) {
  Storage storage;
  storage.Register(MakeCsv(storage.process.data_folder(), kNumKeys));
  int num_calls = 0;
  EXPECT_THAT(
      storage.service.ReadSamples(storage.id, storage.SortedKeys(),
                                  [&](const batch::Batch&, const std::vector<v1::MissingSample>&) {
                                    ++num_calls;
                                    return ResourceExhausted("no more room");
                                  }),
      StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("no more room")));
  EXPECT_EQ(num_calls, 1);
}

}  // namespace
}  // namespace tidemill::storage
