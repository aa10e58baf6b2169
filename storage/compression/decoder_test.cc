#include <lzma.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/compression/zstd_decoder.h"
#include "storage/testing/any_local_files.h"
#include "storage/testing/data_folder.h"

namespace tidemill::storage {
namespace {

using testing::DataFolder;
using testing::Gzip;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

std::string Xz(const std::string& bytes) {
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(bytes.data()),
                bytes.size(), reinterpret_cast<uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

// With a checksum, as the zstd command writes.
std::string Zstd(const std::string& bytes) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size =
      ZSTD_compress2(context, packed.data(), packed.size(), bytes.data(), bytes.size());
  EXPECT_EQ(ZSTD_isError(size), 0U);
  packed.resize(size);
  ZSTD_freeCCtx(context);
  return packed;
}

struct Compression {
  const char* name;
  const char* ending;
  std::string (*pack)(const std::string&);
};
void PrintTo(const Compression& compression, std::ostream* out) { *out << compression.name; }

class DecoderTest : public ::testing::TestWithParam<Compression> {
 protected:
  // The content of a file as the cache hands it out.
  absl::StatusOr<std::string> Unpack(const std::string& packed, UnpackedCacheOptions options = {}) {
    options.folder = state_.path() + "/unpacked";
    const std::string path = data_.Write(name_, packed);
    ASSIGN_OR_RETURN(const auto cache, UnpackedCache::Create(options, testing::AnyLocalFiles()));
    ASSIGN_OR_RETURN(const OpenFile file, cache->Open(path));
    ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
    std::string bytes(static_cast<size_t>(identity.size_bytes), '\0');
    RETURN_IF_ERROR(file.ReadAt(0, bytes.data(), bytes.size()).status());
    return bytes;
  }
  static std::string Pack(const std::string& bytes) { return GetParam().pack(bytes); }

  DataFolder data_, state_;
  std::string name_ = "x";
};

std::string Noise(size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::string bytes;
  while (bytes.size() < size) bytes += static_cast<char>(random() % 61);
  return bytes;
}

TEST_P(DecoderTest, BytesOfAnySizeComeBack) {
  for (const size_t size : {0, 1, 511, 262'143, 262'144, 262'145, 1'500'000}) {
    const std::string bytes = Noise(size);
    const auto unpacked = Unpack(Pack(bytes));
    ASSERT_THAT(unpacked, IsOk()) << size;
    EXPECT_TRUE(*unpacked == bytes) << size;
  }
}

TEST_P(DecoderTest, SeveralStreamsAreOneFile) {
  const std::string second = Noise(300'000);
  const auto unpacked = Unpack(Pack("first,") + Pack("") + Pack(second));
  ASSERT_THAT(unpacked, IsOk());
  EXPECT_TRUE(*unpacked == "first," + second);
}

TEST_P(DecoderTest, EveryCutIsSeen) {
  name_ = std::string("x") + GetParam().ending;
  const std::string packed = Pack(Noise(300));
  for (size_t size = 6; size < packed.size(); ++size) {
    EXPECT_THAT(Unpack(packed.substr(0, size)),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("x")))
        << size;
  }
}

TEST_P(DecoderTest, DamageGivesTheRightBytesOrAnError) {
  name_ = std::string("x") + GetParam().ending;  // Else it may have been meant so.
  const std::string bytes = Noise(200);
  const std::string packed = Pack(bytes);
  for (size_t at = 6; at < packed.size(); ++at) {
    for (const int bit : {0, 5}) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const auto unpacked = Unpack(damaged);
      if (unpacked.ok()) {
        EXPECT_TRUE(*unpacked == bytes) << at;
      } else {
        EXPECT_TRUE(absl::IsDataLoss(unpacked.status()) ||
                    absl::IsResourceExhausted(unpacked.status()))
            << unpacked.status();
      }
    }
  }
}

TEST_P(DecoderTest, BytesAfterThePackedDataCostNothingAndAreCounted) {
  name_ = std::string("x") + GetParam().ending;
  const std::string bytes = Noise(300'000);
  const std::string packed = Pack(bytes);
  const std::string folder = state_.path() + "/after";
  const std::tuple<std::string, bool> cases[] = {{"", true},
                                                 {std::string(1, '\0'), true},
                                                 {std::string(4096, '\0'), true},
                                                 {"\n", true},
                                                 {std::string(700'000, '\0') + "\r\n", true},
                                                 {"and more", false},
                                                 {packed.substr(0, 1), false},
                                                 {packed.substr(0, 1) + "\n", false},
                                                 {std::string(99, '\0') + "x", false}};
  for (const auto& [behind, is_padding] : cases) {
    const std::string path = data_.Write(name_, packed + behind);
    for (int start = 0; start < 2; ++start) {  // Again, as after a restart.
      const auto cache = UnpackedCache::Create({.folder = folder}, testing::AnyLocalFiles());
      ASSERT_THAT(cache, IsOk());
      const auto opened = (*cache)->Open(path);
      ASSERT_THAT(opened, IsOk()) << behind.size();
      std::string read(bytes.size() + 1, '\0');
      EXPECT_THAT(opened->ReadAt(0, read.data(), read.size()),
                  tidemill::testing::IsOkAndHolds(bytes.size()));
      read.pop_back();
      EXPECT_TRUE(read == bytes) << behind.size();
      const auto identity = testing::AnyLocalFiles().IdentityOf(path);
      ASSERT_THAT(identity, IsOk());
      const TrailingBytes expected{std::ssize(behind), is_padding};
      EXPECT_EQ((*cache)->TrailingBytesOf(path, *identity), expected) << behind.size();
      const auto beginning = (*cache)->OpenStart(path);
      ASSERT_THAT(beginning, IsOk());
      EXPECT_THAT(beginning->ReadAt(0, read.data(), read.size()),
                  tidemill::testing::IsOkAndHolds(bytes.size()));
    }
  }
}

TEST_P(DecoderTest, AStreamThatIsCutCostsThoseBeforeItNothing) {
  name_ = std::string("x") + GetParam().ending;
  const std::string first = Pack("first,"), second = Pack(Noise(300'000));
  std::string damaged = second;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 16);
  for (const std::string& rest : {second.substr(0, 9), second.substr(0, second.size() / 2),
                                  second.substr(0, second.size() - 1), damaged}) {
    EXPECT_THAT(Unpack(first + rest), tidemill::testing::IsOkAndHolds("first,"));
    const auto cache =
        UnpackedCache::Create({.folder = state_.path() + "/unpacked"}, testing::AnyLocalFiles());
    ASSERT_THAT(cache, IsOk());
    const auto identity = testing::AnyLocalFiles().IdentityOf(data_.path() + "/" + name_);
    ASSERT_THAT(identity, IsOk());
    const TrailingBytes expected{std::ssize(rest), false};
    EXPECT_EQ((*cache)->TrailingBytesOf(data_.path() + "/" + name_, *identity), expected);
  }
}

TEST_P(DecoderTest, ZerosBetweenStreamsAreSkipped) {
  for (const size_t count : {size_t{1}, size_t{4}, size_t{512}, size_t{300'000}}) {
    const auto read = Unpack(Pack("one ") + std::string(count, '\0') + Pack("two"));
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(*read, "one two") << count;
  }
}

TEST_P(DecoderTest, AFileThatOnlyBeginsLikeAPackedOneIsReadUnchanged) {
  const std::string magic = Pack("text").substr(0, 4);
  for (const std::string& rest :
       {std::string(60, '\5'), std::string(60, '\xff'), Noise(100'000), Noise(7)}) {
    const auto read = Unpack(magic + rest);
    ASSERT_THAT(read, IsOk());
    EXPECT_TRUE(*read == magic + rest);
  }
}

TEST_P(DecoderTest, AFileWhoseNameSaysThatItIsPackedHasToBe) {
  name_ = std::string("x.csv") + GetParam().ending;
  EXPECT_THAT(Unpack(Pack("text").substr(0, 6) + std::string(60, '\5')),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("is not valid")));
}

TEST_P(DecoderTest, OfAFileThatIsLookedAtNoMoreIsUnpackedThanIsRead) {
  const std::string bytes = Noise(3'000'000);
  const std::string path = data_.Write("x", Pack(bytes));
  const auto cache =
      UnpackedCache::Create({.folder = state_.path() + "/unpacked", .max_unpacked_bytes = 1 << 19},
                            testing::AnyLocalFiles());
  ASSERT_THAT(cache, IsOk());
  EXPECT_FALSE((*cache)->Open(path).ok()) << "no room to unpack it all";
  const auto start = (*cache)->OpenStart(path);
  ASSERT_THAT(start, IsOk());
  for (const auto& [offset, size] : {std::pair(0, 100), std::pair(50, 400'000), std::pair(7, 3)}) {
    std::string read(static_cast<size_t>(size), '\0');
    const auto count = start->ReadAt(offset, read.data(), read.size());
    ASSERT_THAT(count, IsOk());
    EXPECT_EQ(*count, read.size());
    EXPECT_TRUE(read == bytes.substr(static_cast<size_t>(offset), read.size()));
  }
  std::string behind(10, '\0');
  EXPECT_THAT(start->ReadAt(3'000'000, behind.data(), 10), tidemill::testing::IsOkAndHolds(0U));
  EXPECT_TRUE(std::filesystem::is_empty(state_.path() + "/unpacked"));
}

TEST_P(DecoderTest, AnUnpackedCopyThatIsDamagedIsUnpackedAgain) {
  const std::string bytes = Noise(300'000);
  const std::string path = data_.Write("x", Pack(bytes));
  const UnpackedCacheOptions options{.folder = state_.path() + "/unpacked"};
  ASSERT_THAT((*UnpackedCache::Create(options, testing::AnyLocalFiles()))->Open(path), IsOk());
  for (int place = 0; place < 10; ++place) {
    const auto copies = std::filesystem::directory_iterator(options.folder);
    ASSERT_NE(begin(copies), end(copies));
    const std::string copy = begin(copies)->path().string();
    std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(30'000 * place + 7);
    const auto flipped = static_cast<char>(file.get() ^ 1 << place % 8);
    file.seekp(30'000 * place + 7);
    file.put(flipped);
    file.close();
    const auto cache =
        UnpackedCache::Create(options, testing::AnyLocalFiles());  // As after a restart.
    ASSERT_THAT(cache, IsOk());
    const auto opened = (*cache)->Open(path);
    ASSERT_THAT(opened, IsOk());
    std::string read(bytes.size() + 1, '\0');
    EXPECT_THAT(opened->ReadAt(0, read.data(), read.size()),
                tidemill::testing::IsOkAndHolds(bytes.size()));
    read.pop_back();
    EXPECT_TRUE(read == bytes) << place;
  }
}

TEST_P(DecoderTest, CopiesOfBeforeThatHaveNoSumAreRemoved) {
  const std::string folder = state_.path() + "/unpacked";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/0123456789abcdef0123456789abcdef") << "text";
  ASSERT_THAT(UnpackedCache::Create({.folder = folder}, testing::AnyLocalFiles()), IsOk());
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_P(DecoderTest, WhatUnpacksToTooMuchIsRefused) {
  const std::string packed = Pack(std::string(1 << 20, 'a'));
  EXPECT_THAT(Unpack(packed, {.folder = {}, .max_unpacked_bytes = 1 << 19}),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("unpacks to more")));
  EXPECT_THAT(Unpack(packed, {.folder = {}, .max_ratio = 3}),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("unpacks to more")));
}

INSTANTIATE_TEST_SUITE_P(
    Each, DecoderTest,
    ::testing::Values(Compression{"gzip", ".gz",
                                  [](const std::string& bytes) { return Gzip(bytes); }},
                      Compression{"xz", ".xz", Xz}, Compression{"zstd", ".ZST", Zstd}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

// Both commands are a part of every Debian that can build.
TEST(Decoder, WhatTheCommandsPackIsRead) {
  const DataFolder data, state;
  const auto cache = UnpackedCache::Create({.folder = state.path()}, testing::AnyLocalFiles());
  const std::string bytes = Noise(100'000);
  const std::string path = data.Write("plain", bytes);
  for (const std::string tool : {"gzip", "xz"}) {
    ASSERT_EQ(std::system(fmt::format("{0} -c {1} >{1}.{0}", tool, path).c_str()), 0);
    const auto file = (*cache)->Open(path + "." + tool);
    ASSERT_THAT(file, IsOk());
    std::string unpacked(bytes.size(), '\0');
    ASSERT_THAT(file->ReadAt(0, unpacked.data(), unpacked.size()), IsOk());
    EXPECT_TRUE(unpacked == bytes) << tool;
  }
}

TEST(Decoder, AZstdFrameThatStatesAnotherSizeIsRefused) {
  // Magic, a descriptor, five bytes promised, and one last block that holds none of them.
  const std::string_view packed("\x28\xb5\x2f\xfd\x20\x05\x01\0\0", 9);
  const auto made = NewZstdDecoder();
  ASSERT_THAT(made, IsOk());
  std::vector<char> out(1000);
  absl::Status status;
  for (size_t i = 0; i < packed.size() && status.ok(); ++i) {
    status = (*made)->Decode(packed.substr(i, 1), out).status();
  }
  EXPECT_THAT(status,
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("holds 0 bytes but states 5")));
}

TEST(Decoder, FramesToBeSkippedAreOfAPackedFileIfOneFollowsThem) {
  const DataFolder data, state;
  const auto cache = UnpackedCache::Create({.folder = state.path()}, testing::AnyLocalFiles());
  const std::string skipped("\x50\x2a\x4d\x18\3\0\0\0abc", 11);
  const auto packed = (*cache)->Open(data.Write("packed", skipped + Zstd("text")));
  ASSERT_THAT(packed, IsOk());
  EXPECT_NE(packed->path(), data.path() + "/packed");
  const auto plain = (*cache)->Open(data.Write("plain", skipped + "text"));
  ASSERT_THAT(plain, IsOk());
  EXPECT_EQ(plain->path(), data.path() + "/plain");
}

TEST(Decoder, FilesThatAreNotPackedAreOpenedDirectly) {
  const DataFolder data, state;
  const auto cache = UnpackedCache::Create({.folder = state.path()}, testing::AnyLocalFiles());
  for (const std::string bytes : {"", "\x1f", "\xfd\x37zX", "plain text", "\x28\xb5\x2f"}) {
    const auto file = (*cache)->Open(data.Write("x", bytes));
    ASSERT_THAT(file, IsOk());
    EXPECT_EQ(file->path(), data.path() + "/x");
  }
}

}  // namespace
}  // namespace tidemill::storage
