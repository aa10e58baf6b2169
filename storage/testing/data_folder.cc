#include "storage/testing/data_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

namespace tidemill::storage::testing {

namespace fs = std::filesystem;

DataFolder::DataFolder() {
  std::string name = ::testing::TempDir() + "/data_XXXXXX";
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  path_ = fs::canonical(name).string();
}

DataFolder::~DataFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

std::string DataFolder::Write(const std::string& name, std::string_view bytes) const {
  static std::atomic<int64_t> next_second = 1'600'000'000;
  const fs::path path = fs::path(path_) / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  const timespec time{.tv_sec = next_second++, .tv_nsec = 0};
  const timespec times[2] = {time, time};
  EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  return path.string();
}

void DataFolder::Remove(const std::string& name) const { fs::remove(fs::path(path_) / name); }

std::string Gzip(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string BigEndian(uint64_t number, int width) {
  std::string bytes;
  for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

}  // namespace tidemill::storage::testing
