#include "base/paths/allowed_folders.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/paths/regular_file.h"
#include "base/paths/testing/exchanger.h"
#include "base/testing/status_matchers.h"

namespace tidemill {
namespace {

namespace fs = std::filesystem;
using ::testing::_;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

constexpr char kSecret[] = "hush";
constexpr char kPublic[] = "data";

class AllowedFoldersTest : public ::testing::Test {
 protected:
  AllowedFoldersTest() {
    char pattern[] = "/tmp/tidemill-allowed-XXXXXX";
    folder_ = fs::canonical(::mkdtemp(pattern)).string();
    for (const char* const name : {"root/dir", "other", "secret"}) {
      fs::create_directories(In(name));
    }
    Write("root/dir/file", kPublic);
    Write("secret/file", kSecret);
  }
  ~AllowedFoldersTest() override { fs::remove_all(folder_); }

  std::string In(const std::string& name) const { return files::Join(folder_, name); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(In(name)) << text;
  }

  AllowedFolders Roots(const std::vector<std::string>& names,
                       const std::vector<std::string>& own_state = {}) const {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(In(name));
    return AllowedFolders(paths, std::make_shared<StateFolders>(own_state), "is outside");
  }

  static absl::StatusOr<std::string> Read(const AllowedFolders& folders, const std::string& path) {
    ASSIGN_OR_RETURN(const Descriptor file, folders.OpenFile(path));
    std::string bytes(100, '\0');
    const ssize_t size = ::pread(file.number(), bytes.data(), bytes.size(), 0);
    bytes.resize(static_cast<size_t>(std::max<ssize_t>(0, size)));
    return bytes;
  }

  // What a local stack writes to its state folder.
  void MakeState(const std::string& name) const {
    fs::create_directories(In(name) + "/storage");
    Write(name + "/identity", "0123456789abcdefghjkmnpqrs\n/var/lib/tidemill-postgres-x\n");
    Write(name + "/token", kSecret);
    Write(name + "/storage/file", kSecret);
  }

  std::string folder_;
};

TEST_F(AllowedFoldersTest, LinksAreFollowedWhileTheyStayBelowARoot) {
  fs::create_symlink("dir", In("root/relative"));
  fs::create_symlink(In("root/relative/../dir/file"), In("root/absolute"));
  Write("other/file", kPublic);
  fs::create_symlink(In("other"), In("root/elsewhere"));
  fs::create_symlink("../other/file", In("root/up"));
  const AllowedFolders folders = Roots({"root", "other"});
  for (const char* const name : {"dir/file", "relative/file", "absolute", "elsewhere/file", "up"}) {
    EXPECT_THAT(Read(folders, In("root/") + name), IsOkAndHolds(kPublic)) << name;
  }
  EXPECT_THAT(folders.Resolve(In("root/elsewhere/file")), IsOkAndHolds(In("other/file")));
  const auto folder = folders.OpenFolder(In("root/relative/"));
  ASSERT_THAT(folder, IsOk());
  EXPECT_EQ(folder->path, In("root/dir"));
}

TEST_F(AllowedFoldersTest, LinksThatLeadOutAreRefusedInTheSameWordsWhateverIsThere) {
  fs::create_symlink(In("secret"), In("root/folder"));
  fs::create_symlink(In("secret/file"), In("root/file"));
  fs::create_symlink("../secret/file", In("root/up"));
  fs::create_symlink("/proc/self/environ", In("root/process"));
  const AllowedFolders folders = Roots({"root"});
  for (const char* const name :
       {"folder/file", "folder/none", "file", "up", "process", "../secret/file"}) {
    const std::string path = In("root/") + name;
    const std::string words = "path '" + path + "' is outside";
    EXPECT_THAT(Read(folders, path), StatusIs(absl::StatusCode::kInvalidArgument, words));
    EXPECT_THAT(folders.OpenFolder(path), StatusIs(absl::StatusCode::kInvalidArgument, words));
    EXPECT_THAT(folders.Look(path), StatusIs(absl::StatusCode::kInvalidArgument, words));
  }
}

TEST_F(AllowedFoldersTest, ALinkOfTheKernelsIsWalkedAsItIsWritten) {
  const int held = ::open(In("secret/file").c_str(), O_RDONLY | O_CLOEXEC);
  const AllowedFolders folders({"/proc/self", folder_ + "/root"}, nullptr, "is outside");
  // Opened by the kernel it would be the file itself.
  EXPECT_THAT(Read(folders, "/proc/self/fd/" + std::to_string(held)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is outside")));
  EXPECT_THAT(Read(folders, "/proc/self/root" + In("secret/file")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is outside")));
  ::close(held);
}

TEST_F(AllowedFoldersTest, OnlyRegularFilesAreOpenedAndNothingIsWaitedFor) {
  ASSERT_EQ(::mkfifo(In("root/pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", In("root/link"));
  fs::create_symlink("circle", In("root/circle"));
  fs::create_symlink("nowhere", In("root/dangling"));
  const AllowedFolders folders({folder_ + "/root", "/dev"}, nullptr, "is outside");
  for (const std::string& path : {In("root/pipe"), In("root/link"), In("root/dir"), In("root"),
                                  std::string("/dev/null"), std::string("/dev/zero")}) {
    EXPECT_THAT(Read(folders, path),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is not a regular file")));
  }
  constexpr auto kNotFound = absl::StatusCode::kNotFound;
  EXPECT_THAT(Read(folders, In("root/circle")), StatusIs(kNotFound, HasSubstr("circle")));
  EXPECT_THAT(Read(folders, In("root/dangling")), StatusIs(kNotFound, _));
  EXPECT_THAT(Read(folders, In("root/dir/file/below")), StatusIs(kNotFound, _));
  EXPECT_THAT(folders.OpenFolder(In("root/dir/file")), StatusIs(kNotFound, _));
}

TEST_F(AllowedFoldersTest, ARootBelowAnotherIsAFolderOfThatOne) {
  const AllowedFolders before = Roots({"root/dir", "root"});
  EXPECT_THAT(Read(before, In("root/dir/file")), IsOkAndHolds(kPublic));
  fs::rename(In("root/dir"), In("root/away"));
  fs::create_symlink(In("secret"), In("root/dir"));
  fs::create_symlink(In("root/dir"), In("alias"));
  const AllowedFolders after = Roots({"alias", "root/dir", "root"});
  for (const char* const name : {"root/dir/file", "alias/file", "secret/file"}) {
    EXPECT_THAT(Read(after, In(name)),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is outside")))
        << name;
  }
  EXPECT_THAT(Read(after, In("root/away/file")), IsOkAndHolds(kPublic));
}

TEST_F(AllowedFoldersTest, ExchangingFoldersAndLinksNeverOpensAFileOutside) {
  fs::create_symlink(In("secret"), In("root/link"));
  fs::create_symlink(In("secret/file"), In("root/dir/link"));
  const AllowedFolders folders = Roots({"root"});
  const testing::Exchanger of_folders(In("root/dir"), In("root/link"));
  int num_read = 0;
  for (int i = 0; i < 20'000 || (num_read == 0 && i < 1'000'000); ++i) {
    const auto bytes = Read(folders, In("root/dir/file"));
    ASSERT_EQ(bytes.value_or(kPublic), kPublic);
    num_read += bytes.ok() ? 1 : 0;
    const auto folder = folders.OpenFolder(In("root/dir"));
    if (!folder.ok()) continue;
    const Descriptor file(::openat(folder->descriptor.number(), "file", O_RDONLY));
    char first = 0;
    ASSERT_EQ(::read(file.number(), &first, 1), 1);
    ASSERT_EQ(first, kPublic[0]);
  }
  EXPECT_GT(num_read, 0);
  EXPECT_GT(of_folders.rounds(), 0);
}

TEST_F(AllowedFoldersTest, ExchangingFilesAndLinksNeverOpensAFileOutside) {
  fs::create_symlink(In("secret/file"), In("root/dir/link"));
  const AllowedFolders folders = Roots({"root"});
  const testing::Exchanger of_files(In("root/dir/file"), In("root/dir/link"));
  for (int i = 0; i < 20'000; ++i) {
    const auto bytes = Read(folders, In("root/dir/file"));
    ASSERT_EQ(bytes.value_or(kPublic), kPublic);
    const auto status = folders.Look(In("root/dir/file"));
    ASSERT_TRUE(!status.ok() || S_ISREG(status->st_mode));
  }
  EXPECT_GT(of_files.rounds(), 0);
}

TEST_F(AllowedFoldersTest, TheStateOfAnyStackIsRefusedByItsMark) {
  MakeState("root/state");
  fs::create_symlink("state", In("root/link"));
  const AllowedFolders folders = Roots({"root"});
  for (const char* const name : {"state/token", "state/none", "state/storage/file", "link/token"}) {
    EXPECT_THAT(Read(folders, In("root/") + name),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("holds a stack's state")))
        << name;
  }
  // A root in it, too.
  EXPECT_THAT(Read(Roots({"root/state/storage"}), In("root/state/storage/file")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("holds a stack's state")));
  // Others may have files of that name.
  Write("root/dir/identity", "class,name\n1,me\n");
  EXPECT_THAT(Read(folders, In("root/dir/file")), IsOkAndHolds(kPublic));
}

TEST_F(AllowedFoldersTest, OnesOwnStateIsKnownWithoutAMarkAndByEveryName) {
  MakeState("root/state");
  fs::remove(In("root/state/identity"));
  fs::create_hard_link(In("root/state/token"), In("root/dir/token"));
  const AllowedFolders folders =
      Roots({"root"}, {In("root/state"), In("root/state/token"), In("none"), ""});
  fs::rename(In("root/state/storage"), In("root/dir/storage"));
  for (const char* const name : {"state/token", "dir/token", "dir/storage/file"}) {
    EXPECT_THAT(Read(folders, In("root/") + name),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("holds a stack's state")))
        << name;
  }
  EXPECT_THAT(Read(folders, In("root/dir/file")), IsOkAndHolds(kPublic));
}

TEST_F(AllowedFoldersTest, OnesOwnStateIsKnownThroughAMount) {
  fs::create_directories(In("state/models"));
  Write("state/token", kSecret);
  Write("state/models/token", kSecret);
  for (const char* const from : {"state", "state/models"}) {
    // Only root mounts, and not on every machine.
    if (::mount(In(from).c_str(), In("root/dir").c_str(), nullptr, MS_BIND, nullptr) != 0) return;
    EXPECT_THAT(Read(Roots({"root"}, {In("state")}), In("root/dir/token")),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("holds a stack's state")));
    ASSERT_EQ(::umount(In("root/dir").c_str()), 0);
  }
}

TEST_F(AllowedFoldersTest, WhatAStrangersProcessWroteIsReadOnlyAsAFileOfItsOwn) {
  const std::string path = In("root/result");
  const auto refused = [&](absl::StatusCode code, std::string_view why) {
    EXPECT_THAT(files::ReadRegular(path, 100), StatusIs(code, HasSubstr(why)));
    EXPECT_THAT(files::Remove(path), IsOk());
  };
  constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;
  ASSERT_THAT(files::WriteAtomically(path, "bytes"), IsOk());
  EXPECT_THAT(files::ReadRegular(path, 5), IsOkAndHolds("bytes"));
  EXPECT_THAT(files::Remove(path), IsOk());
  refused(absl::StatusCode::kNotFound, "cannot open");
  for (const char* const target : {"/dev/zero", "/dev/null", "/etc/passwd", "nowhere"}) {
    std::filesystem::create_symlink(target, path);
    refused(kPrecondition, "is a link");
  }
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  refused(kPrecondition, "is not a regular file");
  std::filesystem::create_directory(path);
  refused(kPrecondition, "is not a regular file");
  ASSERT_THAT(files::WriteAtomically(path, ""), IsOk());
  std::filesystem::resize_file(path, uint64_t{6} << 30);
  refused(absl::StatusCode::kResourceExhausted, "at most 100 are read");
}

}  // namespace
}  // namespace tidemill
