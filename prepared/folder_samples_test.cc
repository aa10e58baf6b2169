#include "prepared/folder_samples.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "gmock/gmock.h"

#include "base/descriptor.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "prepared/host_store.h"
#include "prepared/testing/numbered_rows.h"

namespace tidemill::prepared {
namespace {

using testing::ByteOf;
using testing::Columns;
using ::testing::ElementsAre;
using testing::Find;
using testing::kWeek;
using testing::Names;
using testing::RowsOf;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;

class FolderSamplesTest : public ::testing::Test {
 protected:
  FolderBudget OpenBudget(int64_t bytes) const {
    return {folder_.path() + "/prepared", bytes, kWeek};
  }
  static std::unique_ptr<FolderSamples> Open(const FolderBudget& budget,
                                             const std::string& digest = "a", double worth = 1) {
    auto samples = FolderSamples::Open(budget, digest, {.worth = worth}, Columns());
    EXPECT_THAT(samples, IsOk());
    return *std::move(samples);
  }
  std::string FileOf(const std::string& digest) const {
    return folder_.path() + "/prepared/" + digest + "/1.rows";
  }

  tidemill::testing::TempFolder folder_;
};

TEST_F(FolderSamplesTest, FindsWhatItKeptAndNothingElse) {
  const FolderBudget budget = OpenBudget(1 << 20);
  const auto samples = Open(budget);
  const auto names = Names(10, 40);
  EXPECT_TRUE(samples->Keep(names, RowsOf(names)));
  EXPECT_EQ(Find(*samples, names).NumMissing(), 0);
  EXPECT_EQ(Find(*samples, Names(40, 50)).NumMissing(), 10);
  // The key of another record.
  const std::vector<SampleName> other = {{10, 77}, {11, 0}};
  EXPECT_EQ(Find(*samples, other).NumMissing(), 2);
}

TEST_F(FolderSamplesTest, KeepsWhyASampleIsBadAndThatOneIsFiltered) {
  const FolderBudget budget = OpenBudget(1 << 20);
  const auto names = Names(0, 4);
  NamedRows rows = RowsOf(names);
  rows.states = {RowState::kGood, RowState::kBad, RowState::kFiltered, RowState::kMissing};
  rows.reasons[1] = "op 1 (decode_image): the file is cut off";
  EXPECT_TRUE(Open(budget)->Keep(names, rows));
  const NamedRows found = Find(*Open(budget), names);
  EXPECT_THAT(found.states, ElementsAre(RowState::kGood, RowState::kBad, RowState::kFiltered,
                                        RowState::kMissing));
  EXPECT_EQ(found.reasons.at(1), "op 1 (decode_image): the file is cut off");
}

TEST_F(FolderSamplesTest, FindsWhatAnotherProcessAppended) {
  const FolderBudget budget = OpenBudget(1 << 20);
  const auto one = Open(budget);
  const auto other = Open(budget);
  EXPECT_TRUE(one->Keep(Names(0, 5), RowsOf(Names(0, 5))));
  EXPECT_TRUE(other->Keep(Names(5, 9), RowsOf(Names(5, 9))));
  // Each appends to its own file.
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/prepared/a/2.rows"));
  EXPECT_EQ(Find(*Open(budget), Names(0, 9)).NumMissing(), 0);
}

TEST_F(FolderSamplesTest, AFileThatNothingAppendsToIsTakenOver) {
  const FolderBudget budget = OpenBudget(1 << 20);
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(Open(budget)->Keep(Names(i, i + 1), RowsOf(Names(i, i + 1))));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/prepared/a/2.rows"));
  EXPECT_EQ(Find(*Open(budget), Names(0, 5)).NumMissing(), 0);
}

TEST_F(FolderSamplesTest, AByteThatFlipsAnywhereCostsRowsAndNeverChangesOne) {
  const FolderBudget budget = OpenBudget(1 << 20);
  const auto names = Names(0, 6);
  EXPECT_TRUE(Open(budget)->Keep(names, RowsOf(names)));
  const auto size = std::filesystem::file_size(FileOf("a"));
  int64_t num_lost = 0;
  for (uintmax_t at = 0; at < size; ++at) {
    const Descriptor file(open(FileOf("a").c_str(), O_RDWR | O_CLOEXEC));
    char byte = 0;
    ASSERT_EQ(pread(file.number(), &byte, 1, static_cast<off_t>(at)), 1);
    const char flipped = static_cast<char>(byte ^ 0x10);
    ASSERT_EQ(pwrite(file.number(), &flipped, 1, static_cast<off_t>(at)), 1);
    // Find() compares the content of what is found.
    const int64_t num_missing = Find(*Open(budget), names).NumMissing();
    EXPECT_GE(num_missing, 1) << "byte " << at;
    num_lost += num_missing;
    ASSERT_EQ(pwrite(file.number(), &byte, 1, static_cast<off_t>(at)), 1);
  }
  EXPECT_EQ(Find(*Open(budget), names).NumMissing(), 0);
  EXPECT_GT(num_lost, static_cast<int64_t>(size));
}

TEST_F(FolderSamplesTest, AFileThatIsCutOffAnywhereLosesOnlyItsEnd) {
  const FolderBudget budget = OpenBudget(1 << 20);
  {
    const auto samples = Open(budget);
    EXPECT_TRUE(samples->Keep(Names(0, 3), RowsOf(Names(0, 3))));
    EXPECT_TRUE(samples->Keep(Names(3, 6), RowsOf(Names(3, 6))));
  }
  const auto size = std::filesystem::file_size(FileOf("a"));
  for (auto left = size - 1; left > size / 2; --left) {
    std::filesystem::resize_file(FileOf("a"), left);
    EXPECT_EQ(Find(*Open(budget), Names(0, 6)).NumMissing(), 3);
  }
  // The next one appends over what is left of the block.
  EXPECT_TRUE(Open(budget)->Keep(Names(6, 8), RowsOf(Names(6, 8))));
  EXPECT_EQ(Find(*Open(budget), Names(0, 8)).NumMissing(), 3);
}

TEST_F(FolderSamplesTest, ARowThatIsFullStaysAndLaterRowsAreNotKept) {
  const FolderBudget budget = OpenBudget(2'000);
  const auto samples = Open(budget);
  EXPECT_TRUE(samples->Keep(Names(0, 10), RowsOf(Names(0, 10))));
  EXPECT_FALSE(samples->Keep(Names(10, 30), RowsOf(Names(10, 30))));
  EXPECT_EQ(Find(*samples, Names(0, 30)).NumMissing(), 20);
  EXPECT_EQ(samples->counts().refused, 20);
}

TEST_F(FolderSamplesTest, RowsGiveWayToRowsThatSaveMoreAByteAndToNoOthers) {
  const FolderBudget budget = OpenBudget(2'000);
  EXPECT_TRUE(Open(budget, "poor", 1)->Keep(Names(0, 10), RowsOf(Names(0, 10))));
  EXPECT_FALSE(Open(budget, "poorer", 0.5)->Keep(Names(0, 15), RowsOf(Names(0, 15))));
  EXPECT_FALSE(Open(budget, "equal", 1.1)->Keep(Names(0, 15), RowsOf(Names(0, 15))));
  EXPECT_TRUE(Open(budget, "rich", 3)->Keep(Names(0, 15), RowsOf(Names(0, 15))));
  EXPECT_EQ(Find(*Open(budget, "poor", 1), Names(0, 10)).NumMissing(), 10);
  EXPECT_EQ(Find(*Open(budget, "rich", 3), Names(0, 15)).NumMissing(), 0);
}

TEST_F(FolderSamplesTest, ABudgetOfZeroKeepsNothing) {
  const FolderBudget budget = OpenBudget(0);
  const auto samples = Open(budget);
  EXPECT_FALSE(samples->Keep(Names(0, 1), RowsOf(Names(0, 1))));
  EXPECT_EQ(Find(*samples, Names(0, 1)).NumMissing(), 1);
}

TEST_F(FolderSamplesTest, WipedKeysLeaveNoByteAndAreNotFound) {
  const FolderBudget budget = OpenBudget(1 << 20);
  const auto names = Names(0, 20);
  const auto samples = Open(budget);
  EXPECT_TRUE(samples->Keep(names, RowsOf(names)));
  EXPECT_EQ(Find(*samples, names).NumMissing(), 0);
  const std::vector<int64_t> forgotten = {3, 7, 1000};
  EXPECT_THAT(WipeKeys(std::vector{budget.folder()}, forgotten), IsOkAndHolds(2));
  for (PreparedSamples* const reader : {samples.get(), Open(budget).release()}) {
    const NamedRows found = Find(*reader, names);
    EXPECT_EQ(found.NumMissing(), 2);
    EXPECT_EQ(found.states[3], RowState::kMissing);
    EXPECT_EQ(found.states[7], RowState::kMissing);
    if (reader != samples.get()) delete reader;
  }
  const std::string bytes = *files::Read(FileOf("a"));
  std::string row;
  for (size_t at = 0; at < 15; ++at) row += static_cast<char>(ByteOf(7, at));
  EXPECT_EQ(bytes.find(row), std::string::npos);
}

TEST_F(FolderSamplesTest, WipedKeysLeaveNoByteAlsoWhereAByteHasFlipped) {
  const FolderBudget budget = OpenBudget(1 << 20);
  const auto names = Names(0, 6);
  EXPECT_TRUE(Open(budget)->Keep(names, RowsOf(names)));
  const std::string whole = *files::Read(FileOf("a"));
  std::string row;
  for (size_t at = 0; at < 15; ++at) row += static_cast<char>(ByteOf(4, at));
  ASSERT_NE(whole.find(row), std::string::npos);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    std::ofstream(FileOf("a"), std::ios::binary) << flipped;
    ASSERT_THAT(WipeKeys(std::vector{budget.folder()}, std::vector<int64_t>{4}), IsOk());
    EXPECT_EQ(files::Read(FileOf("a")).value_or("").find(row), std::string::npos) << at;
    Find(*Open(budget), names);  // Compares what it finds.
  }
}

TEST_F(FolderSamplesTest, RoomThatWasTakenAndNotUsedIsGivenBack) {
  const FolderBudget budget = OpenBudget(1 << 20);
  {
    const auto samples = Open(budget);
    EXPECT_TRUE(samples->Keep(Names(0, 5), RowsOf(Names(0, 5))));
    // Later blocks need not look for room.
    EXPECT_GT(std::filesystem::file_size(FileOf("a")), 4'000U);
    EXPECT_TRUE(samples->Keep(Names(5, 9), RowsOf(Names(5, 9))));
    EXPECT_EQ(Find(*Open(budget), Names(0, 9)).NumMissing(), 0);
  }
  EXPECT_EQ(std::filesystem::file_size(FileOf("a")), 2 * 32U + 9 * (64 + 23U));
}

TEST_F(FolderSamplesTest, WhatAKilledProcessLeftAfterItsLastBlockIsNotTakenForOne) {
  const FolderBudget budget = OpenBudget(1 << 20);
  EXPECT_TRUE(Open(budget)->Keep(Names(0, 9), RowsOf(Names(0, 9))));
  const std::string block = *files::Read(FileOf("a"));
  ASSERT_THAT(files::Remove(FileOf("a")), IsOk());
  EXPECT_TRUE(Open(budget)->Keep(Names(20, 24), RowsOf(Names(20, 24))));
  // Rows of a block without a header, in which a header follows where the next block will end.
  const std::string few = *files::Read(FileOf("a"));
  std::ofstream(FileOf("a"), std::ios::app | std::ios::binary)
      << std::string(few.size(), '\1') << block;
  EXPECT_TRUE(Open(budget)->Keep(Names(30, 34), RowsOf(Names(30, 34))));
  EXPECT_EQ(Find(*Open(budget), Names(30, 34)).NumMissing(), 0);
  EXPECT_EQ(Find(*Open(budget), Names(0, 9)).NumMissing(), 9);
}

TEST_F(FolderSamplesTest, ThreadsFindWhatThreadsKeep) {
  const FolderBudget budget = OpenBudget(8 << 20);
  const auto one = Open(budget);
  const auto other = Open(budget);
  std::vector<std::thread> threads;
  for (int64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      FolderSamples& samples = thread % 2 == 0 ? *one : *other;
      for (int64_t round = 0; round < 50; ++round) {
        const auto names = Names(round * 20, round * 20 + 20);
        NamedRows rows = Find(samples, names);
        const NamedRows made = RowsOf(names);
        samples.Keep(names, made);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Find(*Open(budget), Names(0, 1000)).NumMissing(), 0);
}

TEST(HostStore, FillsMemoryFirstAndThenTheDisk) {
  tidemill::testing::TempFolder folder;
  const auto store = HostStore::Open({.memory_folder = folder.path() + "/memory",
                                      .memory_bytes = 2'000,
                                      .disk_folder = folder.path() + "/disk",
                                      .disk_bytes = 1 << 20});
  const auto samples = store->OpenPoint("a", {}, Columns());
  ASSERT_THAT(samples, IsOk());
  EXPECT_TRUE((*samples)->Keep(Names(0, 10), RowsOf(Names(0, 10))));
  EXPECT_TRUE((*samples)->Keep(Names(10, 30), RowsOf(Names(10, 30))));
  EXPECT_EQ(Find(**samples, Names(0, 30)).NumMissing(), 0);
  EXPECT_EQ((*samples)->counts().kept, 30);
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/disk/a/1.rows"));
}

}  // namespace
}  // namespace tidemill::prepared
