// What goes wrong with the folders of a store costs time, and the log says it once: rows that are
// found are right, and the budget is kept.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "prepared/host_store.h"
#include "prepared/testing/numbered_rows.h"

namespace tidemill::prepared {
namespace {

namespace fs = std::filesystem;
using testing::Columns;
using testing::Find;
using ::testing::HasSubstr;
using testing::kWeek;
using testing::Names;
using ::testing::Not;
using testing::RowsOf;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;
using tidemill::testing::TempFolder;

constexpr int64_t kEntryAndRow = 64 + 23;

// A small file system at a folder, as long as it lives. Only root can mount one.
class SmallMount {
 public:
  explicit SmallMount(std::string folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_);
    is_mounted_ = mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=256k,mode=0700") == 0;
    if (!is_mounted_) std::printf("not tried, as nothing can be mounted here\n");
  }
  SmallMount(const SmallMount&) = delete;
  SmallMount& operator=(const SmallMount&) = delete;
  ~SmallMount() {
    if (is_mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  bool is_mounted() const { return is_mounted_; }
  bool ForbidWriting() const {
    return mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0;
  }

 private:
  const std::string folder_;
  bool is_mounted_ = false;
};

class StoreFaults : public ::testing::Test {
 protected:
  std::string Disk() const { return folder_.path() + "/disk"; }
  std::string Memory() const { return folder_.path() + "/stack/prepared"; }
  std::string PointFile(const std::string& name) const { return Disk() + "/a/" + name; }

  std::unique_ptr<HostStore> OpenDisk(int64_t bytes = 1 << 20) const {
    return HostStore::Open({.disk_folder = Disk(), .disk_bytes = bytes});
  }
  std::unique_ptr<HostStore> OpenMemory() const {
    return HostStore::Open({.memory_folder = Memory(), .memory_bytes = 1 << 20});
  }
  static std::unique_ptr<PreparedSamples> OpenPoint(const HostStore& store) {
    auto samples = store.OpenPoint("a", {.worth = 1}, Columns());
    EXPECT_THAT(samples, IsOk());
    return *std::move(samples);
  }
  // Keeps rows in blocks of ten, whether there is room or not.
  static void KeepAll(PreparedSamples& samples, int64_t from, int64_t to) {
    for (int64_t key = from; key < to; key += 10) {
      samples.Keep(Names(key, key + 10), RowsOf(Names(key, key + 10)));
    }
  }
  static int64_t NumSaid(const std::string& log, const std::string& message) {
    int64_t count = 0;
    for (size_t at = log.find(message); at != std::string::npos; at = log.find(message, at + 1)) {
      ++count;
    }
    return count;
  }
  int64_t BytesOfRows() const {
    int64_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".rows") bytes += static_cast<int64_t>(entry.file_size());
    }
    return bytes;
  }

  TempFolder folder_;
};

TEST_F(StoreFaults, AFullDiskGetsOneMessageAndWhatWasKeptStays) {
  const SmallMount mount(Disk());
  if (!mount.is_mounted()) return;
  const auto store = OpenDisk(1 << 30);
  const auto samples = OpenPoint(*store);
  CaptureStderr();
  KeepAll(*samples, 0, 10'000);
  const std::string log = GetCapturedStderr();
  EXPECT_EQ(NumSaid(log, "prepared rows are not kept"), 1) << log;
  EXPECT_THAT(log, HasSubstr("the disk is full"));
  const StoreCounts counts = samples->counts();
  EXPECT_GT(counts.kept, 1'000);
  EXPECT_EQ(counts.kept + counts.refused, 10'000);
  EXPECT_EQ(Find(*samples, Names(0, 10'000)).NumMissing(), counts.refused);
  EXPECT_EQ(Find(*OpenPoint(*store), Names(0, 10'000)).NumMissing(), counts.refused);
}

TEST_F(StoreFaults, MemoryThatIsFullLeavesTheRestToTheDisk) {
  const SmallMount mount(folder_.path() + "/stack");
  if (!mount.is_mounted()) return;
  const auto store = HostStore::Open({.memory_folder = Memory(),
                                      .memory_bytes = 1 << 30,
                                      .disk_folder = Disk(),
                                      .disk_bytes = 1 << 30});
  const auto samples = OpenPoint(*store);
  KeepAll(*samples, 0, 10'000);
  EXPECT_EQ(samples->counts().kept, 10'000);
  EXPECT_EQ(Find(*samples, Names(0, 10'000)).NumMissing(), 0);
}

TEST_F(StoreFaults, AFolderOnAFullDiskIsLeftOutWhenAPointIsOpened) {
  const SmallMount mount(Disk());
  if (!mount.is_mounted()) return;
  std::ofstream(Disk() + "/filler") << std::string(size_t{1} << 20, 'x');
  const auto store = OpenDisk();
  CaptureStderr();
  EXPECT_THAT(store->OpenPoint("a", {}, Columns()),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("the disk is full")));
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("a store of prepared samples is left out"));
}

TEST_F(StoreFaults, WithBudgetsOfZeroThereIsNoStore) {
  const auto store = HostStore::Open({.memory_folder = Memory(), .disk_folder = Disk()});
  EXPECT_FALSE(store->has_room());
  EXPECT_THAT(store->OpenPoint("a", {}, Columns()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no room")));
  EXPECT_FALSE(fs::exists(Disk()));
}

// Two stacks have nothing in common but the folder.
TEST_F(StoreFaults, ProcessesOfTwoStacksKeepTheBudgetTogether) {
  constexpr int64_t kBudget = 100'000;
  std::vector<pid_t> children;
  for (int64_t stack = 0; stack < 2; ++stack) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    const auto store = OpenDisk(kBudget);
    const auto samples = OpenPoint(*store);
    bool is_within = true;
    for (int64_t key = stack * 700; key < stack * 700 + 1500; key += 10) {
      KeepAll(*samples, key, key + 10);
      is_within &= BytesOfRows() <= kBudget;
    }
    Find(*samples, Names(0, 2200));
    _exit(is_within && !::testing::Test::HasFailure() ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_LE(BytesOfRows(), kBudget);
  const auto store = OpenDisk(kBudget);
  const int64_t num_found = 2200 - Find(*OpenPoint(*store), Names(0, 2200)).NumMissing();
  EXPECT_GT(num_found * kEntryAndRow, kBudget * 4 / 10);
}

TEST_F(StoreFaults, AStackWithASmallerBudgetAddsNothingToAFolderThatHasMore) {
  const auto large = OpenDisk(100'000);
  const auto small = OpenDisk(20'000);
  const auto first = OpenPoint(*large);
  KeepAll(*first, 0, 500);
  const int64_t before = BytesOfRows();
  CaptureStderr();
  const auto second = OpenPoint(*small);
  KeepAll(*second, 500, 600);
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("its budget of 20000 bytes is used up"));
  EXPECT_EQ(BytesOfRows(), before);
  // It finds what the other one has kept.
  EXPECT_EQ(Find(*second, Names(0, 600)).NumMissing(), 100);
}

TEST_F(StoreFaults, AFolderThatIsRemovedWhileInUseGetsOneMessageAndIsNotMadeAgain) {
  const auto store = OpenDisk();
  const auto samples = OpenPoint(*store);
  KeepAll(*samples, 0, 100);
  ASSERT_THAT(files::Remove(Disk()), IsOk());
  CaptureStderr();
  KeepAll(*samples, 100, 400);
  const std::string log = GetCapturedStderr();
  EXPECT_EQ(NumSaid(log, "prepared rows are not kept"), 1) << log;
  EXPECT_THAT(log, HasSubstr("was removed"));
  EXPECT_FALSE(fs::exists(Disk()));
  Find(*samples, Names(0, 400));  // Compares what it finds.
  EXPECT_EQ(samples->counts().refused, 300);
  EXPECT_THAT(WipeKeys(std::vector{Disk()}, std::vector<int64_t>{3}), IsOkAndHolds(0));
}

TEST_F(StoreFaults, AFolderThatCannotBeMadeIsLeftOut) {
  std::ofstream(folder_.path() + "/file") << "in the way";
  const auto store = HostStore::Open({.memory_folder = Memory(),
                                      .memory_bytes = 1 << 20,
                                      .disk_folder = folder_.path() + "/file/disk",
                                      .disk_bytes = 1 << 20});
  fs::create_directory(folder_.path() + "/stack");
  fs::permissions(folder_.path() + "/stack", fs::perms::owner_all);
  CaptureStderr();
  const auto samples = OpenPoint(*store);
  EXPECT_THAT(OpenPoint(*store), ::testing::NotNull());
  const std::string log = GetCapturedStderr();
  EXPECT_EQ(NumSaid(log, "a store of prepared samples is left out"), 1) << log;
  EXPECT_THAT(log, HasSubstr("/file/disk"));
  KeepAll(*samples, 0, 100);
  EXPECT_EQ(Find(*samples, Names(0, 100)).NumMissing(), 0);
}

TEST_F(StoreFaults, AFolderThatCannotBeWrittenAnyMoreIsReadAndGetsOneMessage) {
  const SmallMount mount(Disk());
  if (!mount.is_mounted()) return;
  {
    const auto store = OpenDisk();
    KeepAll(*OpenPoint(*store), 0, 100);
  }
  const auto store = OpenDisk();
  const auto samples = OpenPoint(*store);
  ASSERT_TRUE(mount.ForbidWriting());
  CaptureStderr();
  KeepAll(*samples, 100, 300);
  const std::string log = GetCapturedStderr();
  EXPECT_EQ(NumSaid(log, "prepared rows are not kept"), 1) << log;
  EXPECT_THAT(log, HasSubstr("Read-only file system"));
  EXPECT_EQ(samples->counts().refused, 200);
  EXPECT_EQ(Find(*samples, Names(0, 300)).NumMissing(), 200);
}

TEST_F(StoreFaults, AFileOfGarbageIsWrittenOverAndWhatIsNotAFileIsPassedOver) {
  const auto store = OpenDisk();
  fs::create_directories(Disk() + "/a");
  std::ofstream(PointFile("1.rows")) << std::string(70'000, 'g');
  ASSERT_EQ(mkfifo(PointFile("2.rows").c_str(), 0600), 0);
  std::ofstream(folder_.path() + "/victim") << "not to be touched";
  fs::create_symlink(folder_.path() + "/victim", PointFile("3.rows"));
  fs::create_directory(PointFile("4.rows"));
  ASSERT_EQ(mkfifo((Disk() + "/speed").c_str(), 0600), 0);
  const auto first = OpenPoint(*store);
  const auto second = OpenPoint(*store);
  KeepAll(*first, 0, 100);
  KeepAll(*second, 100, 200);
  EXPECT_EQ(Find(*OpenPoint(*store), Names(0, 200)).NumMissing(), 0);
  EXPECT_TRUE(fs::exists(PointFile("5.rows")));
  EXPECT_THAT(WipeKeys(std::vector{Disk()}, std::vector<int64_t>{3, 150}), IsOkAndHolds(2));
  EXPECT_THAT(files::Read(folder_.path() + "/victim"), IsOkAndHolds("not to be touched"));
}

TEST_F(StoreFaults, FilesThatChangeIntoSomethingElseWhileInUseCostRowsOnly) {
  const auto store = OpenDisk();
  const auto samples = OpenPoint(*store);
  const auto reader = OpenPoint(*store);
  KeepAll(*samples, 0, 100);
  EXPECT_EQ(Find(*reader, Names(0, 100)).NumMissing(), 0);
  std::ofstream(PointFile("1.rows"), std::ios::in | std::ios::out) << std::string(3'000, 'g');
  EXPECT_GT(Find(*reader, Names(0, 100)).NumMissing(), 0);
  ASSERT_THAT(files::Remove(PointFile("1.rows")), IsOk());
  ASSERT_EQ(mkfifo(PointFile("1.rows").c_str(), 0600), 0);
  KeepAll(*samples, 100, 200);
  EXPECT_EQ(Find(*OpenPoint(*store), Names(100, 200)).NumMissing(), 0);
}

TEST_F(StoreFaults, AMemoryFolderOfAnotherUserIsLeftOut) {
  const std::string stack = folder_.path() + "/stack";
  const auto expect_left_out = [&](const std::string& because) {
    CaptureStderr();
    const auto store = OpenMemory();
    EXPECT_FALSE(store->has_room());
    EXPECT_THAT(GetCapturedStderr(), HasSubstr(because));
  };
  fs::create_directory(folder_.path() + "/elsewhere");
  fs::create_symlink(folder_.path() + "/elsewhere", stack);
  expect_left_out("is a symbolic link");
  fs::remove(stack);
  fs::create_directory(stack);
  fs::permissions(stack, fs::perms::owner_all | fs::perms::others_all);
  expect_left_out("is open to other users");
  fs::permissions(stack, fs::perms::owner_all);
  fs::create_symlink(folder_.path() + "/elsewhere", Memory());
  expect_left_out("is a symbolic link");
  EXPECT_TRUE(fs::is_empty(folder_.path() + "/elsewhere"));
  fs::remove(Memory());
  if (chown(stack.c_str(), 12345, 12345) == 0) expect_left_out("belongs to user 12345");
}

TEST_F(StoreFaults, AMemoryFolderThatAnotherUserMakesLaterIsLeftOut) {
  const auto store = OpenMemory();
  EXPECT_TRUE(store->has_room());
  fs::create_directory(folder_.path() + "/elsewhere");
  fs::create_symlink(folder_.path() + "/elsewhere", folder_.path() + "/stack");
  EXPECT_THAT(store->OpenPoint("a", {}, Columns()),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("is a symbolic link")));
  EXPECT_TRUE(fs::is_empty(folder_.path() + "/elsewhere"));
}

TEST_F(StoreFaults, AMemoryFolderIsMadeForThisUserAlone) {
  const auto store = OpenMemory();
  OpenPoint(*store);
  for (const std::string& folder : {folder_.path() + "/stack", Memory(), Memory() + "/a"}) {
    struct stat about = {};
    ASSERT_EQ(stat(folder.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0700U) << folder;
  }
}

TEST_F(StoreFaults, ADiskFolderIntoWhichEveryoneMayWriteIsLeftOut) {
  fs::create_directory(Disk());
  fs::permissions(Disk(), fs::perms::all);
  CaptureStderr();
  EXPECT_FALSE(OpenDisk()->has_room());
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("other users may write"));
}

TEST_F(StoreFaults, WhatIsNotOfTheStoreStaysInItsFolder) {
  const std::string old = Disk() + "/photographs/1.rows";
  fs::create_directories(Disk() + "/photographs");
  std::ofstream(old) << std::string(100'000, 'p');
  std::ofstream(Disk() + "/notes") << "old";
  {
    const auto store = OpenDisk(50'000);
    KeepAll(*OpenPoint(*store), 0, 100);
  }
  // Everything is a year old.
  for (const std::string& path :
       {old, Disk() + "/notes", Disk() + "/photographs", Disk() + "/a/about"}) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(24 * 365));
  }
  EXPECT_THAT(WipeKeys(std::vector{Disk()}, std::vector<int64_t>{3}), IsOkAndHolds(1));
  OpenDisk(50'000);
  EXPECT_FALSE(fs::exists(Disk() + "/a"));
  EXPECT_EQ(fs::file_size(old), 100'000U);
  EXPECT_TRUE(fs::exists(Disk() + "/notes"));
}

}  // namespace
}  // namespace tidemill::prepared
