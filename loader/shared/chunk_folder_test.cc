#include "loader/shared/chunk_folder.h"

#include <filesystem>
#include <fstream>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "loader/shared/testing/shared_set.h"

namespace tidemill::loader {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using testing::SharedFolder;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// Rows with all that a chunk can hold.
Rows MakeRows() {
  const std::vector<int64_t> keys = {7, 9};
  const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  batch::Batch piece(2);
  EXPECT_THAT(piece.Set(batch::MakeColumn<int64_t>("key", keys)), IsOk());
  EXPECT_THAT(piece.Set(batch::MakeColumn<float>("input", numbers, {3})), IsOk());
  Rows rows;
  rows.pieces.push_back(std::move(piece));
  rows.bad = {{.key = 1, .reason = "not a number"}, {.key = 2, .reason = "", .deleted = true}};
  rows.filtered = {5, 6};
  return rows;
}

TEST(ChunkFolder, GivesBackWhatWasWritten) {
  const SharedFolder folder;
  std::filesystem::create_directory(folder.path());
  ASSERT_THAT(ChunkFolder(folder.path()).Write(12, MakeRows()), IsOk());
  auto rows = ChunkFolder(folder.path()).Read(12);
  ASSERT_THAT(rows, IsOk());
  ChunkFolder(folder.path()).Remove(12);
  EXPECT_THAT(ChunkFolder(folder.path()).Read(12), StatusIs(absl::StatusCode::kNotFound, _));
  ASSERT_EQ(rows->pieces.size(), 1u) << "the rows outlive the file";
  EXPECT_THAT(rows->pieces[0].keys(), ElementsAre(7, 9));
  EXPECT_THAT(rows->pieces[0].Find("input")->Values<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(rows->pieces[0].Find("input")->data.data()) % 64, 0u);
  EXPECT_THAT(rows->filtered, ElementsAre(5, 6));
  ASSERT_EQ(rows->bad.size(), 2u);
  EXPECT_EQ(rows->bad[0].reason, "not a number");
  EXPECT_TRUE(rows->bad[1].deleted);
}

TEST(ChunkFolder, MayHaveNoRows) {
  const SharedFolder folder;
  std::filesystem::create_directory(folder.path());
  ASSERT_THAT(ChunkFolder(folder.path()).Write(0, Rows()), IsOk());
  const auto rows = ChunkFolder(folder.path()).Read(0);
  ASSERT_THAT(rows, IsOk());
  EXPECT_TRUE(rows->pieces.empty());
}

TEST(ChunkFolder, NoticesEveryByteThatHasChanged) {
  const SharedFolder folder;
  std::filesystem::create_directory(folder.path());
  ASSERT_THAT(ChunkFolder(folder.path()).Write(3, MakeRows()), IsOk());
  const std::string path = folder.Chunks().at(0).string();
  const auto size = static_cast<int64_t>(std::filesystem::file_size(path));
  for (int64_t at = 0; at < size; ++at) {
    // Whether it was checked, and bytes that are not used.
    if (at >= 44 && at < 64) continue;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char before = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(before ^ 4));
    file.close();
    EXPECT_THAT(ChunkFolder(folder.path()).Read(3), StatusIs(absl::StatusCode::kDataLoss, _)) << at;
    file.open(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.put(before);
  }
  EXPECT_THAT(ChunkFolder(folder.path()).Read(3), IsOk());
  for (int64_t bytes : {size - 1, int64_t{63}, int64_t{0}}) {
    std::filesystem::resize_file(path, static_cast<uintmax_t>(bytes));
    EXPECT_THAT(ChunkFolder(folder.path()).Read(3), StatusIs(absl::StatusCode::kDataLoss, _))
        << bytes;
  }
}

TEST(ChunkFolder, WritesAFileAgainOnceNobodyReadsIt) {
  const SharedFolder folder;
  std::filesystem::create_directory(folder.path());
  ChunkFolder maker(folder.path());
  ChunkFolder consumer(folder.path());
  ASSERT_THAT(maker.Write(1, MakeRows()), IsOk());
  std::optional<Rows> read = *consumer.Read(1);
  maker.Drop(1);
  EXPECT_THAT(consumer.Read(1), StatusIs(absl::StatusCode::kNotFound, _));
  Rows other = MakeRows();
  other.filtered = {70, 80};
  ASSERT_THAT(maker.Write(2, other), IsOk());
  EXPECT_THAT(read->pieces[0].keys(), ElementsAre(7, 9)) << "somebody reads it";
  EXPECT_GT(maker.TrimFree(1 << 20), 0) << "the first file waits";
  read.reset();
  ASSERT_THAT(maker.Write(3, other), IsOk());
  EXPECT_EQ(maker.TrimFree(1 << 20), 0) << "it was written again";
  const auto again = consumer.Read(3);
  ASSERT_THAT(again, IsOk());
  EXPECT_THAT(again->filtered, ElementsAre(70, 80));
  maker.Drop(2);
  EXPECT_EQ(maker.TrimFree(0), 0);
  EXPECT_EQ(folder.Chunks().size(), 1u);
}

TEST(ChunkFolder, ListsItsChunksByNumber) {
  const SharedFolder folder;
  std::filesystem::create_directory(folder.path());
  for (const int64_t number : {300, 2, 17}) {
    ASSERT_THAT(ChunkFolder(folder.path()).Write(number, MakeRows()), IsOk());
  }
  ASSERT_THAT(ChunkFolder(folder.path()).Write(2, MakeRows()), IsOk()) << "it is there already";
  std::ofstream(folder.path() + "/control") << "other";
  const std::vector<StoredChunk> chunks = ChunkFolder(folder.path()).List();
  ASSERT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[0].number, 2);
  EXPECT_EQ(chunks[2].number, 300);
  EXPECT_EQ(chunks[0].bytes,
            static_cast<int64_t>(std::filesystem::file_size(folder.Chunks().at(0))));
}

TEST(ChunkFolder, IsNotWrittenWhereThereIsNoFolder) {
  EXPECT_THAT(ChunkFolder("/dev/shm/tidemill-test-nowhere").Write(0, MakeRows()),
              StatusIs(absl::StatusCode::kUnavailable, _));
  EXPECT_TRUE(ChunkFolder("/dev/shm/tidemill-test-nowhere").List().empty());
}

}  // namespace
}  // namespace tidemill::loader
