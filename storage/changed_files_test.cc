// Files that are cut off, overwritten, replaced or deleted while storage and its clients read them:
// the samples of such a file are lost, or still those that were ingested, and all others are right.
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/served_dataset.h"

namespace tidemill::storage {
namespace {

using ::testing::AnyOf;
using testing::ExpectedSample;
using testing::ExpectRight;
using testing::GeneratedDataset;
using ::testing::HasSubstr;
using testing::IsAsExpected;
using testing::ReadResult;
using testing::Sample;
using testing::Shuffled;
using ::testing::SizeIs;
using testing::Storage;
using tidemill::testing::IsOk;

// 144 MiB in three files: neither end of a stream has read the last one when the first block comes.
constexpr int kNumSamples = 4608;

struct Happening {
  const char* name;
  void (*happen)(const std::string& path);
  // A reader that has the file open keeps reading its old content.
  bool leaves_open_file = false;
};

const Happening kHappenings[] = {
    {.name = "Truncated",
     .happen = [](const std::string& path) { std::filesystem::resize_file(path, 4); }},
    {.name = "CutInHalf",
     .happen =
         [](const std::string& path) {
           std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
         }},
    {.name = "Overwritten",
     .happen =
         [](const std::string& path) {
           const std::string zeros(std::filesystem::file_size(path), '\0');
           std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << zeros;
         }},
    {.name = "Replaced",
     .happen =
         [](const std::string& path) {
           ASSERT_THAT(files::WriteAtomically(path, "something else"), IsOk());
         },
     .leaves_open_file = true},
    {.name = "Deleted",
     .happen = [](const std::string& path) { ASSERT_THAT(files::Remove(path), IsOk()); },
     .leaves_open_file = true},
};

// How many of a file's samples the answer names as missing; that it names no others, gives all else
// right by content, and that storage continues.
size_t CountLost(const GeneratedDataset& dataset, const Storage& storage,
                 const std::vector<int64_t>& sorted_keys, const ReadResult& result,
                 const std::string& file) {
  const auto expected = testing::ByKey(dataset, sorted_keys);
  EXPECT_EQ(result.samples.size() + result.num_missing, sorted_keys.size());
  for (const auto& [key, reason] : result.missing) {
    EXPECT_EQ(expected.at(key)->file, file);
    // The last one when storage has read the file again in the meantime.
    EXPECT_THAT(reason, AnyOf(HasSubstr("no longer in its file"), HasSubstr("No such file"),
                              HasSubstr("cannot be read"), HasSubstr("deleted")));
  }
  for (const Sample& sample : result.samples) {
    EXPECT_TRUE(IsAsExpected(sample, *expected.at(sample.key)));
  }
  std::vector<int64_t> others = sorted_keys;
  std::erase_if(others, [&](int64_t key) { return expected.at(key)->file == file; });
  ExpectRight(dataset, sorted_keys, others, storage.Read(others));
  EXPECT_EQ(kill(storage.process.process(), 0), 0) << "storage has ended";
  return result.num_missing;
}

enum class Way { kGrpc, kDirect };

class ReadingChangedFile : public ::testing::TestWithParam<std::tuple<Way, Happening>> {
 protected:
  ReadingChangedFile()
      : storage_({.tcp = IsGrpc(), .block_bytes = "1MiB"}),
        dataset_(testing::MakeLargeRecords(storage_.process.data_folder(), kNumSamples)) {
    storage_.Register(dataset_);
    keys_ = storage_.SortedKeys();
    EXPECT_THAT(keys_, SizeIs(kNumSamples));
  }

  static bool IsGrpc() { return std::get<Way>(GetParam()) == Way::kGrpc; }
  static const Happening& What() { return std::get<Happening>(GetParam()); }

  // Reads keys while it happens to a file, and counts what is lost.
  size_t ReadWhileItHappens(const std::vector<int64_t>& asked, const std::string& file) const {
    const ReadResult result =
        storage_.Read(asked, [&] { What().happen(dataset_.folder + "/" + file); });
    EXPECT_GT(result.num_blocks, 10U);
    return CountLost(dataset_, storage_, keys_, result, file);
  }

  Storage storage_;
  const GeneratedDataset dataset_;
  std::vector<int64_t> keys_;
};

TEST_P(ReadingChangedFile, ThatIsBeingReadCostsItsOwnSamplesAtMost) {
  const size_t num_lost = ReadWhileItHappens(Shuffled(keys_, 2), "1.bin");
  EXPECT_EQ(num_lost > 0, !What().leaves_open_file);
}

TEST_P(ReadingChangedFile, ThatIsReadLaterCostsItsOwnSamplesAtMost) {
  const size_t num_lost = ReadWhileItHappens(keys_, "2.bin");
  const std::string what = What().name;
  const size_t num_of_file = kNumSamples / 3;
  // A client on the host may already have the descriptor of a file that is replaced or deleted.
  if (!What().leaves_open_file || IsGrpc()) {
    EXPECT_EQ(num_lost, what == "CutInHalf" ? num_of_file / 2 : num_of_file);
  }
}

INSTANTIATE_TEST_SUITE_P(ByEachWay, ReadingChangedFile,
                         ::testing::Combine(::testing::Values(Way::kGrpc, Way::kDirect),
                                            ::testing::ValuesIn(kHappenings)),
                         [](const auto& tested) {
                           const bool is_grpc = std::get<Way>(tested.param) == Way::kGrpc;
                           return std::string(std::get<Happening>(tested.param).name) +
                                  (is_grpc ? "ByGrpc" : "Directly");
                         });

class ChangedPackedFile : public ::testing::TestWithParam<Happening> {};

TEST_P(ChangedPackedFile, WhoseUnpackedCopyIsGoneCostsItsOwnSamples) {
  Storage storage;
  const GeneratedDataset dataset = testing::MakeGzippedIdx(storage.process.data_folder(), 2000);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  const std::string file = "1-images-idx3-ubyte.gz";
  ASSERT_EQ(dataset.samples.back().file, file);
  GetParam().happen(dataset.folder + "/" + file);
  storage.process.Kill();
  std::filesystem::remove_all(storage.process.storage_folder() + "/unpacked");
  storage.process.Start();
  const ReadResult result = storage.Read(Shuffled(keys, 3));
  EXPECT_EQ(CountLost(dataset, storage, keys, result, file), keys.size() / 2);
}

INSTANTIATE_TEST_SUITE_P(Packed, ChangedPackedFile, ::testing::ValuesIn(kHappenings),
                         [](const auto& tested) { return std::string(tested.param.name); });

class ChangedSingleFile : public ::testing::TestWithParam<Happening> {};

TEST_P(ChangedSingleFile, CostsItsOneSample) {
  Storage storage;
  const GeneratedDataset dataset = testing::MakeSingleFiles(storage.process.data_folder(), 300);
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  const auto longest = std::max_element(
      dataset.samples.begin(), dataset.samples.end(),
      [](const auto& a, const auto& b) { return a.payload.size() < b.payload.size(); });
  GetParam().happen(dataset.folder + "/" + longest->file);
  EXPECT_EQ(CountLost(dataset, storage, keys, storage.Read(Shuffled(keys, 4)), longest->file), 1U);
}

INSTANTIATE_TEST_SUITE_P(Single, ChangedSingleFile, ::testing::ValuesIn(kHappenings),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace tidemill::storage
