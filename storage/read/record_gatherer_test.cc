#include "storage/read/record_gatherer.h"

#include <unistd.h>
#include <xxhash.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::storage {
namespace {

using tidemill::testing::IsOk;

// A file of records of random sizes with random gaps between them, and their places.
class RecordFile {
 public:
  RecordFile(uint32_t seed, size_t least_size)
      : path_(fmt::format("{}/records_{}", ::testing::TempDir(), getpid())) {
    std::mt19937 random(seed);
    for (int i = 0; i < 3000; ++i) {
      // Now and then a gap too wide to read across.
      Grow(random, i % 100 == 0 ? 5000 : random() % 3);
      froms_.push_back(bytes_.size());
      Grow(random, least_size + random() % 60);
      tos_.push_back(bytes_.size());
    }
    EXPECT_THAT(files::WriteAtomically(path_, bytes_), IsOk());
  }
  ~RecordFile() { files::Remove(path_).IgnoreError(); }

  const std::string& path() const { return path_; }
  size_t num_records() const { return froms_.size(); }
  std::string Record(size_t i) const { return bytes_.substr(froms_[i], tos_[i] - froms_[i]); }
  int64_t from(size_t i) const { return static_cast<int64_t>(froms_[i]); }
  int64_t to(size_t i) const { return static_cast<int64_t>(tos_[i]); }

 private:
  void Grow(std::mt19937& random, size_t size) {
    for (size_t i = 0; i < size; ++i) bytes_ += static_cast<char>(random());
  }

  const std::string path_;
  std::string bytes_;
  std::vector<size_t> froms_;
  std::vector<size_t> tos_;
};

// Asks for 5,000 records in random order, some of them several times.
struct Request {
  Request(const RecordFile& records, PayloadCut cut) {
    std::mt19937 random(7);
    for (size_t i = 0; i < 5000; ++i) {
      asked.push_back(random() % records.num_records());
      const std::string record = records.Record(asked.back());
      payloads.emplace_back(record.size() - static_cast<size_t>(cut.size), '\0');
      wanted.push_back({.byte_from = records.from(asked.back()),
                        .byte_to = records.to(asked.back()),
                        .hash = XXH3_64bits(record.data(), record.size()),
                        .tag = i});
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      wanted[i].into = reinterpret_cast<std::byte*>(payloads[i].data());
    }
  }

  std::vector<size_t> asked;
  std::vector<std::string> payloads;
  std::vector<WantedRecord> wanted;
};

TEST(RecordGatherer, EveryRecordArrivesWhereItIsWanted) {
  const RecordFile records(1, 0);
  Request request(records, {});
  const auto file = OpenFile::Open(records.path());
  ASSERT_THAT(file, IsOk());
  GatherRecords(*file, {}, request.wanted);
  for (const WantedRecord& record : request.wanted) {
    EXPECT_TRUE(record.ok);
    EXPECT_EQ(request.payloads[record.tag], records.Record(request.asked[record.tag]));
  }
}

TEST(RecordGatherer, TheCutIsLeftOut) {
  const RecordFile records(2, 6);
  for (const PayloadCut cut : {PayloadCut{0, 2}, PayloadCut{2, 4}, PayloadCut{4, 1}}) {
    Request request(records, cut);
    const auto file = OpenFile::Open(records.path());
    ASSERT_THAT(file, IsOk());
    GatherRecords(*file, cut, request.wanted);
    for (const WantedRecord& record : request.wanted) {
      std::string expected = records.Record(request.asked[record.tag]);
      expected.erase(static_cast<size_t>(cut.offset), static_cast<size_t>(cut.size));
      EXPECT_TRUE(record.ok);
      EXPECT_EQ(request.payloads[record.tag], expected);
    }
  }
}

TEST(RecordGatherer, ATruncatedFileCostsTheRecordsItNoLongerHolds) {
  const RecordFile records(3, 1);
  Request request(records, {});
  const auto file = OpenFile::Open(records.path());
  ASSERT_THAT(file, IsOk());
  const int64_t end = records.from(1500) + 1;
  std::filesystem::resize_file(records.path(), static_cast<uintmax_t>(end));
  GatherRecords(*file, {}, request.wanted);
  for (const WantedRecord& record : request.wanted) {
    EXPECT_EQ(record.ok, record.byte_to <= end);
    if (record.ok) {
      EXPECT_EQ(request.payloads[record.tag], records.Record(request.asked[record.tag]));
    }
  }
}

TEST(RecordGatherer, ARewrittenRecordIsNotTakenForTheOldOne) {
  const RecordFile records(4, 1);
  Request request(records, {});
  std::string bytes = *files::Read(records.path());
  bytes[static_cast<size_t>(records.from(42))] ^= 1;
  ASSERT_THAT(files::WriteAtomically(records.path(), bytes), IsOk());
  const auto file = OpenFile::Open(records.path());
  ASSERT_THAT(file, IsOk());
  GatherRecords(*file, {}, request.wanted);
  for (const WantedRecord& record : request.wanted) {
    EXPECT_EQ(record.ok, request.asked[record.tag] != 42);
  }
}

}  // namespace
}  // namespace tidemill::storage
