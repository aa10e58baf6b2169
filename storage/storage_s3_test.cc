// Datasets in an object store, as other services meet them: a storage process with its client, and
// a store that checks signatures.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/generated_formats.h"
#include "storage/testing/s3_server.h"
#include "storage/testing/served_dataset.h"
#include "storage/testing/uploaded_dataset.h"

namespace tidemill::storage {
namespace {

using ::testing::_;
using ::testing::AllOf;
using testing::DataFolder;
using ::testing::ElementsAre;
using testing::ExpectServesEverySample;
using testing::GeneratedDataset;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NewCommand;
using ::testing::Not;
using testing::ReadResult;
using testing::S3Server;
using ::testing::SizeIs;
using testing::Storage;
using testing::StorageSettings;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr int kNumKeys = 20'000;
constexpr char kBucket[] = "tidemill";

StorageSettings SettingsOf(const S3Server& server, const std::string& secret = S3Server::kSecret,
                           const std::string& section = "") {
  return testing::SettingsFor(server, kBucket, secret, section);
}

class StorageS3 : public ::testing::Test {
 protected:
  GeneratedDataset Upload(GeneratedDataset dataset) {
    return testing::Upload(server_, kBucket, std::move(dataset));
  }

  DataFolder local_;
  S3Server server_{kBucket};
};

TEST_F(StorageS3, ServesEveryFormatByContent) {
  const std::string folder = local_.path();
  const GeneratedDataset datasets[] = {
      testing::MakeCsv(folder, kNumKeys),       testing::MakeSeries(folder, kNumKeys),
      testing::MakeRecords(folder, kNumKeys),   testing::MakeGzippedIdx(folder, kNumKeys),
      testing::MakeJsonl(folder, kNumKeys),     testing::MakeTar(folder, kNumKeys / 10),
      testing::MakeTfRecords(folder, kNumKeys), testing::MakeSingleFiles(folder, kNumKeys / 100)};
  Storage storage(SettingsOf(server_));
  for (const GeneratedDataset& dataset : datasets) {
    SCOPED_TRACE(dataset.name);
    ExpectServesEverySample(Upload(dataset), storage);
  }
}

TEST_F(StorageS3, AnObjectThatIsReplacedOrDeletedUnderARunningReadCostsItsOwnSamplesAtMost) {
  for (const bool is_deleted : {false, true}) {
    // 36 MiB, which need not be here when the first block comes.
    const GeneratedDataset dataset = Upload(testing::MakeLargeRecords(local_.path(), 1152));
    Storage storage(SettingsOf(server_));
    storage.Register(dataset);
    const std::vector<int64_t> keys = storage.SortedKeys();
    const ReadResult result = storage.Read(keys, [&] {
      const std::string object = "data/large/2.bin";
      is_deleted ? server_.Remove(object) : server_.Put(object, "something else");
    });
    EXPECT_EQ(result.samples.size() + result.num_missing, keys.size());
    const auto expected = testing::ByKey(dataset, keys);
    for (const auto& [key, reason] : result.missing) EXPECT_EQ(expected.at(key)->file, "2.bin");
    for (const testing::Sample& sample : result.samples) {
      EXPECT_TRUE(testing::IsAsExpected(sample, *expected.at(sample.key)));
    }
    const std::vector<int64_t> others(keys.begin(), keys.begin() + 768);
    testing::ExpectRight(dataset, keys, others, storage.Read(others));
  }
}

TEST_F(StorageS3, AWrongSecretIsRefusedAtRegistrationWithWhatToDo) {
  const GeneratedDataset dataset = Upload(testing::MakeCsv(local_.path(), 100));
  Storage storage(SettingsOf(server_, "wrong"));
  EXPECT_THAT(storage.service.RegisterDataset(dataset.name, dataset.spec, NewCommand()),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       AllOf(HasSubstr(server_.endpoint()), HasSubstr("SignatureDoesNotMatch"),
                             HasSubstr("AWS_SECRET_ACCESS_KEY"))));
}

TEST_F(StorageS3, ABucketOrFolderThatIsNotAllowedIsRefused) {
  Storage storage(SettingsOf(server_));
  for (const char* path : {"s3://tidemill", "s3://tidemill/data2", "s3://other/data",
                           "s3://tidemill/data/../x", "s3://tidemill/data//x"}) {
    const std::string spec = std::string("path: ") + path + "\nformat: csv\n";
    EXPECT_THAT(storage.service.RegisterDataset("d", spec, NewCommand()),
                StatusIs(absl::StatusCode::kInvalidArgument, _))
        << path;
  }
}

// Three files of two records each, the first of them of class 0.
class StorageS3Files : public StorageS3 {
 protected:
  StorageS3Files() {
    for (const char* name : {"a", "b", "c"}) PutFile(name, name);
  }

  void PutFile(const std::string& name, const std::string& text) const {
    server_.Put("data/d/" + name + ".csv", fmt::format("t,y,text\n1,0,{0}0\n2,1,{0}1\n", text));
  }

  static GeneratedDataset Dataset() {
    GeneratedDataset dataset{.name = "d", .folder = "s3://tidemill/data/d"};
    dataset.spec =
        "path: s3://tidemill/data/d\nfiles: \"*.csv\"\nformat: csv\nlabel: {column: y}\n"
        "event_time: {column: t, format: unix}\n";
    return dataset;
  }

  static std::vector<std::string> Payloads(const ReadResult& result) {
    std::vector<std::string> payloads;
    for (const testing::Sample& sample : result.samples) payloads.push_back(sample.payload);
    return payloads;
  }
};

TEST_F(StorageS3Files, AReplacedObjectGivesNewSamplesAndADeletedOneTakesItsOwn) {
  Storage storage(SettingsOf(server_));
  storage.Register(Dataset());
  const std::vector<int64_t> keys = storage.SortedKeys();
  PutFile("b", "new");
  const ReadResult before =
      storage.Read(keys);  // The bytes of the old b or none, never those of the new one.
  for (const testing::Sample& sample : before.samples) {
    EXPECT_THAT(sample.payload, Not(HasSubstr("new")));
  }
  server_.Remove("data/d/c.csv");
  storage.Sync();
  EXPECT_THAT(Payloads(storage.Read(storage.SortedKeys())),
              ElementsAre("1,0,a0", "2,1,a1", "1,0,new0", "2,1,new1"));
  EXPECT_THAT(storage.Read({keys[2], keys[4]}).missing, SizeIs(2));
}

TEST_F(StorageS3Files, ACheckFindsWhatWasReplacedThoughItIsAtHand) {
  Storage storage(SettingsOf(server_));
  storage.Register(Dataset());
  const std::vector<int64_t> keys = storage.SortedKeys();
  EXPECT_THAT(storage.Read(keys).missing, IsEmpty());
  PutFile("b", "new");
  std::vector<int64_t> damaged;
  ASSERT_THAT(storage.operate.CheckDataset(storage.id,
                                           [&](const v1::CheckDatasetResponse& response) {
                                             for (const auto& sample : response.damaged()) {
                                               damaged.push_back(sample.sample_key());
                                             }
                                             return absl::OkStatus();
                                           }),
              IsOk());
  EXPECT_THAT(damaged, ElementsAre(keys[2], keys[3]));
}

TEST_F(StorageS3Files, WhatIsAtHandIsReadWhileTheStoreIsAway) {
  Storage storage(SettingsOf(server_));
  storage.Register(Dataset());
  const std::vector<int64_t> keys = storage.SortedKeys();
  EXPECT_THAT(storage.Read(keys).missing, IsEmpty());
  server_.Kill();
  EXPECT_THAT(storage.Read(keys).missing, IsEmpty());
  storage.process.Kill();
  storage.process.Start();
  const ReadResult away = storage.Read({keys[0]});  // Nothing is open any more.
  ASSERT_THAT(away.missing, SizeIs(1));
  EXPECT_THAT(away.missing.at(keys[0]),
              AllOf(HasSubstr("cannot be read"), HasSubstr("s3://tidemill/data/d/a.csv"),
                    HasSubstr(server_.endpoint())));
  server_.Start();
  const ReadResult back = storage.Read(keys);
  EXPECT_THAT(Payloads(back),
              ElementsAre("1,0,a0", "2,1,a1", "1,0,b0", "2,1,b1", "1,0,c0", "2,1,c1"));
}

TEST_F(StorageS3Files, ObjectsThatComeAreFoundByLookingAgain) {
  StorageSettings settings = SettingsOf(server_);
  settings.section = "  object_store: {scan_interval: 100ms}\n";
  Storage storage(settings);
  storage.Register(Dataset());
  PutFile("d", "d");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  int64_t num_samples = 0;
  while (num_samples < 8 && std::chrono::steady_clock::now() < deadline) {
    const auto dataset = storage.service.GetDataset("d");
    ASSERT_THAT(dataset, IsOk());
    num_samples = dataset->num_samples();
  }
  EXPECT_EQ(num_samples, 8);
}

TEST_F(StorageS3Files, AGrowingObjectIsTakenFromWhereItEnded) {
  GeneratedDataset dataset = Dataset();
  dataset.spec += "append: true\n";
  Storage storage(SettingsOf(server_));
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  server_.Put("data/d/b.csv", "t,y,text\n1,0,b0\n2,1,b1\n3,1,b2\n");
  storage.Sync();
  std::vector<int64_t> all = storage.SortedKeys();
  ASSERT_THAT(all, SizeIs(7));
  EXPECT_TRUE(std::includes(all.begin(), all.end(), keys.begin(), keys.end()));
  EXPECT_THAT(Payloads(storage.Read({all.back(), keys[2]})), ElementsAre("3,1,b2", "1,0,b0"));
}

}  // namespace
}  // namespace tidemill::storage
