#include "storage/gather/mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::storage {
namespace {

using ::testing::ExitedWithCode;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr size_t kPage = 4096;

// A file of `pages` pages of ones, and descriptors of it.
class OnesFile {
 public:
  explicit OnesFile(size_t pages)
      : path_(fmt::format("{}/ones_{}_{}", ::testing::TempDir(), getpid(), ++count_)) {
    EXPECT_THAT(files::WriteAtomically(path_, std::string(pages * kPage, '\1')), IsOk());
    descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  }
  ~OnesFile() {
    close(descriptor_);
    files::Remove(path_).IgnoreError();
  }
  void Truncate(size_t bytes) const { std::filesystem::resize_file(path_, bytes); }
  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }

 private:
  static inline int count_ = 0;
  const std::string path_;
  int descriptor_ = -1;
};

int At(const MappedFile& file, size_t offset) {
  return static_cast<int>(*const_cast<const volatile std::byte*>(file.data() + offset));
}

TEST(MappedFile, HoldsTheBytesOfItsFile) {
  const OnesFile ones(3);
  const auto file = MappedFile::Map(ones.descriptor());
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ((*file)->size(), 3 * kPage);
  EXPECT_EQ(At(**file, 0) + At(**file, 3 * kPage - 1), 2);
  EXPECT_FALSE((*file)->is_damaged());
}

TEST(MappedFile, PagesThatAreCutOffReadAsZerosAndTheMappingAsDamaged) {
  const OnesFile ones(300);
  const auto file = MappedFile::Map(ones.descriptor());
  const auto other = MappedFile::Map(ones.descriptor());
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(other, IsOk());
  ones.Truncate(kPage + 1);
  EXPECT_EQ(At(**file, 200 * kPage), 0);
  EXPECT_TRUE((*file)->is_damaged());
  EXPECT_EQ(At(**file, 0), 1) << "what the file still has is read";
  EXPECT_EQ(At(**file, 2 * kPage), 0) << "before the page that was touched first";
  EXPECT_EQ(At(**file, 299 * kPage), 0);
  EXPECT_FALSE((*other)->is_damaged()) << "nobody touched a lost page of it";
}

TEST(MappedFile, ADeletedOrReplacedFileIsStillTheOneThatWasMapped) {
  const OnesFile ones(2);
  const auto file = MappedFile::Map(ones.descriptor());
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(files::WriteAtomically(ones.path(), std::string(5, 'x')), IsOk());
  EXPECT_EQ(At(**file, kPage), 1);
  ASSERT_THAT(files::Remove(ones.path()), IsOk());
  EXPECT_EQ(At(**file, kPage), 1);
  EXPECT_FALSE((*file)->is_damaged());
}

TEST(MappedFile, ThreadsReadOnWhileTheFileIsCutOffUnderThem) {
  const OnesFile ones(1000);
  const auto file = MappedFile::Map(ones.descriptor());
  ASSERT_THAT(file, IsOk());
  std::vector<std::thread> readers;
  for (size_t reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&, reader] {
      for (size_t page = reader; !(*file)->is_damaged(); page = (page + 7) % 1000) {
        EXPECT_LE(At(**file, page * kPage), 1);
      }
      for (size_t page = 0; page < 1000; ++page) {
        EXPECT_EQ(At(**file, page * kPage), page < 10 ? 1 : 0);
      }
    });
  }
  ones.Truncate(10 * kPage);
  for (std::thread& reader : readers) reader.join();
}

TEST(MappedFile, AnEmptyFileCannotBeMapped) {
  const OnesFile ones(0);
  EXPECT_THAT(MappedFile::Map(ones.descriptor()).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::HasSubstr("regular")));
}

// Touches a lost page of a mapping that is not guarded, after another file was mapped.
void TouchALostPage() {
  const OnesFile guarded(1);
  const auto file = MappedFile::Map(guarded.descriptor());
  const OnesFile ones(2);
  void* const start = mmap(nullptr, 2 * kPage, PROT_READ, MAP_SHARED, ones.descriptor(), 0);
  ones.Truncate(0);
  [[maybe_unused]] const char lost = *(static_cast<const volatile char*>(start) + kPage);
  _exit(0);
}

TEST(MappedFileDeathTest, ABusErrorElsewhereStillKills) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  // By the signal, or by a sanitizer that handles it.
  EXPECT_DEATH(TouchALostPage(), "");
  EXPECT_DEATH(
      {
        const OnesFile ones(1);
        const auto file = MappedFile::Map(ones.descriptor());
        kill(getpid(), SIGBUS);
        _exit(0);
      },
      "");
}

TEST(MappedFileDeathTest, AnEarlierHandlerIsStillCalled) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        signal(SIGBUS, [](int) { _exit(7); });
        TouchALostPage();
      },
      ExitedWithCode(7), "");
}

}  // namespace
}  // namespace tidemill::storage
