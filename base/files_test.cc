#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/digest.h"
#include "base/testing/status_matchers.h"

namespace tidemill::files {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    char folder[] = "/tmp/tidemill-files-XXXXXX";
    folder_ = ::mkdtemp(folder);
  }
  ~FilesTest() override { EXPECT_THAT(Remove(folder_), IsOk()); }

  std::ptrdiff_t CountEntries() const {
    const std::filesystem::directory_iterator entries(folder_);
    return std::distance(begin(entries), end(entries));
  }

  std::string folder_;
};

TEST_F(FilesTest, GivesBackWhatWasWritten) {
  const std::string path = Join(folder_, "file");
  const std::string bytes("a\0\n\xFF", 4);
  ASSERT_THAT(WriteAtomically(path, bytes), IsOk());
  EXPECT_THAT(Read(path), IsOkAndHolds(bytes));
  ASSERT_THAT(WriteAtomically(path, ""), IsOk());
  EXPECT_THAT(Read(path), IsOkAndHolds(""));
  EXPECT_EQ(CountEntries(), 1);
}

TEST_F(FilesTest, KeepsTheOldFileWhenTheDiskIsFull) {
  const std::string path = Join(folder_, "file");
  ASSERT_THAT(WriteAtomically(path, "old"), IsOk());
  // A limit on the size of files stands for a full disk.
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {.rlim_cur = 1'000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteAtomically(path, std::string(5'000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("write")));
  EXPECT_THAT(Read(path), IsOkAndHolds("old"));
  EXPECT_EQ(CountEntries(), 1);
}

TEST_F(FilesTest, NamesTheFileThatIsMissingOrTooLarge) {
  EXPECT_THAT(Read(Join(folder_, "missing")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("missing")));
  EXPECT_THAT(WriteAtomically(Join(folder_, "no/file"), "x"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no/")));
  const std::string path = Join(folder_, "file");
  ASSERT_THAT(WriteAtomically(path, "12345"), IsOk());
  EXPECT_THAT(Read(path, 5), IsOkAndHolds("12345"));
  EXPECT_THAT(Read(path, 4), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("4 bytes")));
}

TEST_F(FilesTest, ReadsFilesThatDoNotTellTheirSize) {
  EXPECT_THAT(Read("/proc/self/cmdline"), IsOk());
  EXPECT_THAT(*Read("/proc/self/cmdline"), HasSubstr("test"));
}

TEST_F(FilesTest, CreatesFoldersForTheirOwnerOnly) {
  const std::string path = Join(folder_, "a/b/");
  ASSERT_THAT(CreateFolder(path), IsOk());
  ASSERT_THAT(CreateFolder(path), IsOk());
  struct stat info = {};
  ASSERT_EQ(::stat(Join(folder_, "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700);
  ASSERT_THAT(WriteAtomically(Join(folder_, "file"), ""), IsOk());
  EXPECT_FALSE(CreateFolder(Join(folder_, "file")).ok());
}

TEST_F(FilesTest, RemovesWhatIsThereAndMindsNothingThatIsNot) {
  ASSERT_THAT(CreateFolder(Join(folder_, "a/b")), IsOk());
  EXPECT_THAT(Remove(Join(folder_, "a")), IsOk());
  EXPECT_FALSE(Exists(Join(folder_, "a")));
  EXPECT_THAT(Remove(Join(folder_, "a")), IsOk());
}

TEST_F(FilesTest, HaveTheSameDigestAsTheirBytes) {
  const std::string path = Join(folder_, "file");
  ASSERT_THAT(WriteAtomically(path, "abc"), IsOk());
  EXPECT_THAT(Sha256OfFile(path), IsOkAndHolds(Sha256("abc")));
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THAT(Sha256OfFile(path + "x"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("filex")));
}

}  // namespace
}  // namespace tidemill::files
