#include "storage/gather/gather.h"

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <random>
#include <string>

#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::storage {
namespace {

using ::testing::IsEmpty;
using tidemill::testing::IsOk;

// A mapped file of records, and their places.
class RecordFile {
 public:
  // Records of `least_size` bytes, and up to `spread` more.
  RecordFile(uint32_t seed, size_t least_size, size_t spread)
      : path_(fmt::format("{}/gather_{}_{}", ::testing::TempDir(), getpid(), seed)) {
    std::mt19937 random(seed);
    for (int i = 0; i < 2000; ++i) {
      Grow(random, random() % 3);
      froms.push_back(bytes_.size());
      Grow(random, least_size + (spread > 0 ? random() % spread : 0));
      tos.push_back(bytes_.size());
    }
    EXPECT_THAT(files::WriteAtomically(path_, bytes_), IsOk());
    const int descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    auto mapped = MappedFile::Map(descriptor);
    close(descriptor);
    EXPECT_THAT(mapped, IsOk());
    file = *std::move(mapped);
  }
  ~RecordFile() { files::Remove(path_).IgnoreError(); }

  std::string Record(size_t i) const { return bytes_.substr(froms[i], tos[i] - froms[i]); }
  const std::string& path() const { return path_; }

  std::vector<size_t> froms;
  std::vector<size_t> tos;
  std::shared_ptr<const MappedFile> file;

 private:
  void Grow(std::mt19937& random, size_t size) {
    for (size_t i = 0; i < size; ++i) bytes_ += static_cast<char>(random());
  }
  const std::string path_;
  std::string bytes_;
};

// Asks for records of two files in random order, some of them several times.
struct Request {
  Request(const RecordFile& first, const RecordFile& second, PayloadCut label) : cut(label) {
    std::mt19937 random(7);
    for (int i = 0; i < 3001; ++i) {
      file.push_back(random() % 2);
      const RecordFile& records = file.back() == 0 ? first : second;
      const size_t record = random() % records.froms.size();
      asked.push_back(records.Record(record));
      byte_from.push_back(static_cast<int64_t>(records.froms[record]));
      size.push_back(static_cast<uint32_t>(asked.back().size()));
      hash.push_back(XXH3_64bits(asked.back().data(), asked.back().size()));
    }
    files = {first.file.get(), second.file.get()};
  }

  Extents extents() const {
    return {.files = files,
            .file = file,
            .byte_from = byte_from,
            .size = size,
            .hash = hash,
            .cut = cut};
  }

  void Run(const Extents& extents) {
    offsets.resize(extents.num_rows() + 1);
    ASSERT_GE(PayloadOffsets(extents, offsets), 0);
    payload.assign(static_cast<size_t>(offsets.back()), '\0');
    Gather(extents, offsets, reinterpret_cast<std::byte*>(payload.data()), bad);
  }

  std::string Payload(size_t row) const {
    return payload.substr(static_cast<size_t>(offsets[row]),
                          static_cast<size_t>(offsets[row + 1] - offsets[row]));
  }
  std::string Expected(size_t row) const {
    std::string record = asked[row];
    return record.erase(static_cast<size_t>(cut.offset), static_cast<size_t>(cut.size));
  }

  PayloadCut cut;
  std::vector<std::string> asked;
  std::vector<const MappedFile*> files;
  std::vector<uint32_t> file;
  std::vector<int64_t> byte_from;
  std::vector<uint32_t> size;
  std::vector<uint64_t> hash;
  std::vector<int64_t> offsets;
  std::string payload;
  std::vector<uint32_t> bad;
};

void ExpectAllRight(const Request& request) {
  EXPECT_THAT(request.bad, IsEmpty());
  for (size_t row = 0; row < request.asked.size(); ++row) {
    ASSERT_EQ(request.Payload(row), request.Expected(row)) << row;
  }
}

TEST(Gather, RecordsOfAnySizeArriveInTheOrderAsked) {
  for (const auto& [least, spread] : {std::pair<size_t, size_t>{0, 40}, {60, 300}, {4000, 3000}}) {
    const RecordFile first(1, least, spread), second(2, least, spread);
    Request request(first, second, {});
    PrefetchPages(request.extents());
    request.Run(request.extents());
    ExpectAllRight(request);
  }
}

TEST(Gather, RecordsOfOneSizeNeedNoSizes) {
  for (const size_t size : {1, 31, 32, 33, 64, 160, 1025, 5000}) {
    const RecordFile first(3, size, 0), second(4, size, 0);
    Request request(first, second, {});
    Extents extents = request.extents();
    extents.size = {};
    extents.record_bytes = static_cast<int64_t>(size);
    request.Run(extents);
    ExpectAllRight(request);
  }
}

TEST(Gather, TheLabelIsLeftOutAtAnyPlace) {
  for (const PayloadCut cut : {PayloadCut{0, 4}, PayloadCut{70, 8}, PayloadCut{152, 8}}) {
    for (const size_t spread : {0, 90}) {
      const RecordFile first(5, 160, spread), second(6, 160, spread);
      Request request(first, second, cut);
      Extents extents = request.extents();
      if (spread == 0) {
        extents.size = {};
        extents.record_bytes = 160;
      }
      request.Run(extents);
      ExpectAllRight(request);
    }
  }
}

TEST(Gather, PayloadsSmallerThanTheLabelBeforeThemStayWhole) {
  const RecordFile first(14, 8, 9), second(15, 8, 9);
  Request request(first, second, {0, 8});
  request.Run(request.extents());
  ExpectAllRight(request);
}

TEST(Gather, ABadRowWithItsLabelFirstLeavesItsNeighboursWhole) {
  const RecordFile first(16, 20, 3), second(17, 20, 3);
  Request request(first, second, {0, 8});
  const std::vector<uint32_t> bad = {0, 1, 63, 64, 65, 500, 3000};
  for (const uint32_t row : bad) ++request.hash[row];
  request.byte_from[500] = -1;
  request.Run(request.extents());
  EXPECT_EQ(request.bad, bad);
  for (uint32_t row = 0; row < request.asked.size(); ++row) {
    if (std::ranges::binary_search(bad, row)) continue;
    ASSERT_EQ(request.Payload(row), request.Expected(row)) << row;
  }
}

TEST(Gather, RowsThatAreNotInTheirFileAreBad) {
  const RecordFile first(8, 160, 0), second(9, 160, 0);
  Request request(first, second, {});
  request.byte_from[5] = -1;
  request.byte_from[6] = std::numeric_limits<int64_t>::max();
  request.byte_from[7] = static_cast<int64_t>(first.file->size()) - 100;
  request.file[7] = 0;
  request.files.push_back(nullptr);
  request.file[3000] = 2;
  request.Run(request.extents());
  EXPECT_EQ(request.bad, (std::vector<uint32_t>{5, 6, 7, 3000}));
}

TEST(Gather, RecordsSmallerThanTheirLabelAreRefused) {
  const RecordFile first(10, 4, 0), second(11, 4, 0);
  const Request request(first, second, {2, 4});
  std::vector<int64_t> offsets(request.asked.size() + 1);
  EXPECT_EQ(PayloadOffsets(request.extents(), offsets), -1);
}

TEST(Gather, ATruncatedFileCostsTheRecordsItNoLongerHolds) {
  const RecordFile first(12, 100, 50), second(13, 100, 50);
  Request request(first, second, {});
  const size_t end = first.froms[1000] + 1;
  std::filesystem::resize_file(first.path(), end);
  request.Run(request.extents());
  std::vector<uint32_t> lost;
  for (uint32_t row = 0; row < request.asked.size(); ++row) {
    const auto to = static_cast<size_t>(request.byte_from[row]) + request.size[row];
    if (request.file[row] == 0 && to > end) lost.push_back(row);
  }
  EXPECT_EQ(request.bad, lost);
  EXPECT_TRUE(first.file->is_damaged());
  EXPECT_FALSE(second.file->is_damaged());
}

}  // namespace
}  // namespace tidemill::storage
