// The files of a real object store, over connections that break.
#include "storage/filesystems/s3_files.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/testing/data_folder.h"
#include "storage/testing/fault_proxy.h"
#include "storage/testing/s3_server.h"

namespace tidemill::storage {
namespace {

using ::testing::_;
using ::testing::AllOf;
using testing::DataFolder;
using ::testing::ElementsAre;
using testing::FaultProxy;
using ::testing::HasSubstr;
using testing::S3Server;
using ::testing::SizeIs;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr int64_t kBlockBytes = 64 << 10;

std::string Pattern(size_t size, uint32_t seed) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    seed = seed * 1'664'525 + 1'013'904'223;
    byte = static_cast<char>(seed >> 24);
  }
  return bytes;
}

absl::StatusOr<std::string> ReadAt(const OpenFile& file, int64_t offset, size_t size) {
  std::string bytes(size, '\0');
  ASSIGN_OR_RETURN(const size_t got, file.ReadAt(offset, bytes.data(), size));
  bytes.resize(got);
  return bytes;
}

// One server for all tests, whose objects have their own names.
const S3Server& Server() {
  static const S3Server server("files");
  return server;
}

class S3FilesTest : public ::testing::Test {
 protected:
  S3FilesTest() : proxy_(Server().port()), config_(Server().Config()) {
    config_.endpoint = proxy_.endpoint();
    config_.block_bytes = {kBlockBytes};
    config_.connections = 4;
    config_.retry_for = {5'000'000};
    Restart();
  }

  // With empty memory; what is on disk stays.
  void Restart() {
    files_.reset();
    auto files = S3Files::Create(config_, cache_.path());
    ASSERT_THAT(files, IsOk());
    files_ = *std::move(files);
  }

  // Puts an object named after the test.
  std::string Put(const std::string& name, std::string_view bytes) const {
    Server().Put(Key(name), bytes);
    return PathOf(name);
  }
  static std::string Key(const std::string& name) {
    return std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + "/" +
           name;
  }
  static std::string PathOf(const std::string& name) { return "s3://files/" + Key(name); }

  absl::StatusOr<std::string> ReadAll(const std::string& path) const {
    ASSIGN_OR_RETURN(const OpenFile file, files_->Open(path));
    ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
    return ReadAt(file, 0, static_cast<size_t>(identity.size_bytes));
  }

  std::vector<std::filesystem::path> BlockFiles() const {
    std::vector<std::filesystem::path> blocks;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache_.path())) {
      if (entry.is_regular_file()) blocks.push_back(entry.path());
    }
    return blocks;
  }

  DataFolder cache_;
  FaultProxy proxy_;
  ObjectStoreConfig config_;
  std::unique_ptr<S3Files> files_;
};

TEST_F(S3FilesTest, ListsFilesWithOddNamesAndNoneThatIsHidden) {
  for (const char* name : {"a b+c=d&e.csv", "f/ü~*'()!%20.csv", "f/.hidden.csv", ".g/h.csv",
                           "folder/", "other.txt", "f/<x>.csv"}) {
    Put(name, "12345");
  }
  const auto listing = files_->List(PathOf("").substr(0, PathOf("").size() - 1), "**.csv");
  ASSERT_THAT(listing, IsOk());
  std::vector<std::string> names;
  for (const ListedFile& file : listing->files) {
    names.push_back(file.path);
    EXPECT_EQ(file.identity.size_bytes, 5);
    const auto alone = files_->IdentityOf(PathOf(file.path));
    ASSERT_THAT(alone, IsOk());
    EXPECT_EQ(*alone, file.identity);
    EXPECT_EQ(*ReadAll(PathOf(file.path)), "12345");
  }
  EXPECT_THAT(names, ElementsAre("a b+c=d&e.csv", "f/<x>.csv", "f/ü~*'()!%20.csv"));
  EXPECT_THAT(listing->identity_of(PathOf("other.txt")), IsOk());
  EXPECT_THAT(listing->identity_of(PathOf("nothing")), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(S3FilesTest, ListsMoreThanOnePage) {
  std::vector<std::string> keys, names;
  for (int i = 0; i < 1100; ++i) {
    names.push_back(fmt::format("{:02}/{:04}", i % 7, i));
    keys.push_back(Key(names.back()));
  }
  std::sort(names.begin(), names.end());
  Server().PutAll(keys, "x");
  const auto listing = files_->List(PathOf("").substr(0, PathOf("").size() - 1), "**");
  ASSERT_THAT(listing, IsOk());
  ASSERT_THAT(listing->files, SizeIs(names.size()));
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(listing->files[i].path, names[i]);
  EXPECT_EQ(proxy_.num_gets(), 2);
}

TEST_F(S3FilesTest, ReadsAnyRangeByContent) {
  const std::string bytes = Pattern(10 * kBlockBytes + 12'345, 1);
  const auto file = files_->Open(Put("object", bytes));
  ASSERT_THAT(file, IsOk());
  for (const size_t from : {size_t{0}, size_t{1}, size_t{kBlockBytes - 1}, size_t{5 * kBlockBytes},
                            bytes.size() - 10, bytes.size(), bytes.size() + 10}) {
    for (const size_t size : {size_t{1}, size_t{100}, size_t{3 * kBlockBytes}, bytes.size()}) {
      const auto got = ReadAt(*file, static_cast<int64_t>(from), size);
      ASSERT_THAT(got, IsOk());
      ASSERT_EQ(*got, from < bytes.size() ? bytes.substr(from, size) : "");
    }
  }
  EXPECT_EQ(*ReadAll(Put("empty", "")), "");
  EXPECT_THAT(file->Map(10), StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

TEST_F(S3FilesTest, PreparingBringsNeighboursWithOneRequestAndNothingTwice) {
  const std::string bytes = Pattern(16 * kBlockBytes, 2);
  const auto file = files_->Open(Put("object", bytes));
  std::vector<ByteRange> ranges;
  for (int64_t block = 15; block >= 0; --block) {
    ranges.push_back({.from = block * kBlockBytes + 5, .to = block * kBlockBytes + 9});
  }
  ASSERT_THAT(file->Prepare(ranges), IsOk());
  EXPECT_EQ(proxy_.num_gets(), 4);
  EXPECT_EQ(*ReadAt(*file, 0, bytes.size()), bytes);
  EXPECT_EQ(proxy_.num_gets(), 4);
}

TEST_F(S3FilesTest, ManyReadersOfABlockFetchItOnce) {
  const std::string bytes = Pattern(kBlockBytes, 3);
  const auto file = files_->Open(Put("object", bytes));
  std::vector<std::jthread> readers;
  for (int i = 0; i < 8; ++i) {
    readers.emplace_back([&] { EXPECT_EQ(*ReadAt(*file, 0, bytes.size()), bytes); });
  }
  readers.clear();
  EXPECT_EQ(proxy_.num_gets(), 1);
}

TEST_F(S3FilesTest, RefusalsSayWhatAndWhereAndWhatToDo) {
  const std::string path = Put("object", "x");
  EXPECT_THAT(
      files_->Open(PathOf("nothing")),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("there is no object " + PathOf("nothing"))));
  EXPECT_THAT(files_->List("s3://nobucket/x", "**"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("s3://nobucket"), HasSubstr("NoSuchBucket"))));
  config_.secret_access_key = "wrong";
  Restart();
  EXPECT_THAT(files_->List("s3://files/x", "**"),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       AllOf(HasSubstr("SignatureDoesNotMatch"), HasSubstr(config_.endpoint),
                             HasSubstr("AWS_SECRET_ACCESS_KEY"))));
  EXPECT_THAT(files_->Open(path), StatusIs(absl::StatusCode::kPermissionDenied, _));
  config_.access_key_id = "test:nobody";
  Restart();
  EXPECT_THAT(files_->Probe("s3://files/x"), StatusIs(absl::StatusCode::kPermissionDenied, _));
}

TEST_F(S3FilesTest, ReadsByTlsFromAServerThatAnAuthorityVouchesFor) {
  const std::string path = Put("object", "12345");
  config_.endpoint = Server().tls_endpoint();
  Restart();
  EXPECT_THAT(files_->Open(path), StatusIs(absl::StatusCode::kFailedPrecondition,
                                           AllOf(HasSubstr("certificate"), HasSubstr("ca_file"))));
  config_.ca_file = Server().certificate_file();
  Restart();
  EXPECT_EQ(*ReadAll(path), "12345");
}

TEST_F(S3FilesTest, ContinuesWhereAConnectionWasCut) {
  const std::string bytes = Pattern(8 * kBlockBytes, 4);
  const std::string path = Put("object", bytes);
  const auto file = files_->Open(path);
  ASSERT_THAT(file, IsOk());
  proxy_.CutAfter(100'000, 3);
  proxy_.Disconnect();
  ASSERT_THAT(file->Prepare(std::vector<ByteRange>{{0, 8 * kBlockBytes}}), IsOk());
  EXPECT_EQ(*ReadAt(*file, 0, bytes.size()), bytes);
}

TEST_F(S3FilesTest, RepeatsWhatAStoreAnswersWhenItIsBusy) {
  const std::string path = Put("object", "12345");
  proxy_.Answer("HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", 2);
  EXPECT_EQ(*ReadAll(path), "12345");
}

TEST_F(S3FilesTest, GivesUpAConnectionOverWhichNothingComes) {
  const std::string path = Put("object", "12345");
  config_.stall_timeout = {1'000'000};
  Restart();
  proxy_.Stall(1);
  EXPECT_EQ(*ReadAll(path), "12345");
}

TEST_F(S3FilesTest, SaysWhyAStoreCannotBeReached) {
  const std::string path = Put("object", "12345");
  config_.retry_for = {200'000};
  Restart();
  proxy_.CutAfter(0, 1000);
  EXPECT_THAT(files_->Open(path), StatusIs(absl::StatusCode::kUnavailable,
                                           AllOf(HasSubstr(path), HasSubstr(config_.endpoint))));
}

TEST_F(S3FilesTest, ARangeThatIsNotTheOneAskedForIsRefused) {
  const std::string path = Put("object", Pattern(3 * kBlockBytes, 5));
  const auto file = files_->Open(path);
  proxy_.Answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n12345", 1);
  EXPECT_THAT(ReadAt(*file, kBlockBytes, 10),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("range requests")));
}

TEST_F(S3FilesTest, AReplacedObjectIsNeverReadAsTheOldOne) {
  const std::string before = Pattern(4 * kBlockBytes, 6), after = Pattern(4 * kBlockBytes, 7);
  const std::string path = Put("object", before);
  const auto file = files_->Open(path);
  EXPECT_EQ(*ReadAt(*file, 0, 10), before.substr(0, 10));
  Put("object", after);
  EXPECT_EQ(*ReadAt(*file, 0, 10), before.substr(0, 10));  // At hand.
  EXPECT_THAT(ReadAt(*file, 2 * kBlockBytes, 10),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("was replaced")));
  EXPECT_EQ(*ReadAll(path), after);
}

TEST_F(S3FilesTest, ADeletedObjectIsMissed) {
  const std::string path = Put("object", Pattern(2 * kBlockBytes, 8));
  const auto file = files_->Open(path);
  Server().Remove(Key("object"));
  EXPECT_THAT(ReadAt(*file, 0, 10), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(files_->IdentityOf(path), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(S3FilesTest, BlocksOutliveARestart) {
  const std::string bytes = Pattern(5 * kBlockBytes + 1, 9);
  const std::string path = Put("object", bytes);
  EXPECT_EQ(*ReadAll(path), bytes);
  const int num_gets = proxy_.num_gets();
  Restart();
  EXPECT_EQ(*ReadAll(path), bytes);
  EXPECT_EQ(proxy_.num_gets(), num_gets);
}

TEST_F(S3FilesTest, ADamagedBlockIsFetchedAgain) {
  const std::string bytes = Pattern(3 * kBlockBytes, 10);
  const std::string path = Put("object", bytes);
  EXPECT_EQ(*ReadAll(path), bytes);
  ASSERT_THAT(BlockFiles(), SizeIs(3));
  files_.reset();
  const auto blocks = BlockFiles();
  std::fstream(blocks[0], std::ios::in | std::ios::out | std::ios::binary).seekp(1000).put('\x7f');
  std::filesystem::resize_file(blocks[1], 20);
  std::filesystem::copy_file(blocks[2], blocks[0],
                             std::filesystem::copy_options::overwrite_existing);
  std::ofstream(blocks[2].string() + ".7.part") << "half";
  Restart();
  const int num_gets = proxy_.num_gets();
  EXPECT_EQ(*ReadAll(path), bytes);
  EXPECT_GT(proxy_.num_gets(), num_gets);
  EXPECT_THAT(BlockFiles(), SizeIs(3));
}

TEST_F(S3FilesTest, KeepsWithinItsBoundsAndStillReadsRight) {
  config_.cache = {5 * (kBlockBytes + 100)};
  config_.memory = {2 * kBlockBytes};
  Restart();
  const std::string bytes = Pattern(20 * kBlockBytes, 11);
  const std::string path = Put("object", bytes);
  EXPECT_EQ(*ReadAll(path), bytes);
  EXPECT_THAT(BlockFiles(), SizeIs(5));
  const auto file = files_->Open(path);
  ASSERT_THAT(file->Prepare(std::vector<ByteRange>{{0, 20 * kBlockBytes}}), IsOk());
  for (int64_t block = 19; block >= 0; --block) {
    const int64_t from = block * kBlockBytes + 7;
    EXPECT_EQ(*ReadAt(*file, from, 1000), bytes.substr(static_cast<size_t>(from), 1000));
  }
  EXPECT_THAT(BlockFiles(), SizeIs(5));
  config_.cache = {0};
  config_.memory = {0};
  Restart();
  EXPECT_EQ(*ReadAll(path), bytes);
  EXPECT_THAT(BlockFiles(), SizeIs(0));
}

TEST_F(S3FilesTest, StoppingEndsWhatWaitsForTheStore) {
  const std::string path = Put("object", "12345");
  config_.retry_for = {3'600'000'000};
  Restart();
  proxy_.CutAfter(0, 1'000'000);
  absl::Status status;
  std::jthread reader([&] { status = files_->Open(path).status(); });
  files_->Stop();
  reader.join();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kCancelled, _));
}

}  // namespace
}  // namespace tidemill::storage
