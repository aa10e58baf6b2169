#include "storage/filesystems/block_file.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/disk_full.h"
#include "storage/filesystems/local.h"

namespace tidemill::storage {

namespace {

constexpr char kMagic[8] = {'T', 'M', 'B', 'L', 'O', 'C', 'K', '1'};

struct Header {
  char magic[8];
  uint64_t file_high;
  uint64_t file_low;
  int64_t number;
  int64_t size_bytes;
  uint64_t hash;  // xxh3-64 of the bytes.
};
static_assert(sizeof(Header) == kBlockHeaderBytes);

Header HeaderOf(const BlockKey& key, const batch::Buffer& bytes) {
  Header header{.magic = {},
                .file_high = key.file_high,
                .file_low = key.file_low,
                .number = key.number,
                .size_bytes = static_cast<int64_t>(bytes.size()),
                .hash = XXH3_64bits(bytes.data(), bytes.size())};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  return header;
}

absl::Status WriteAll(int descriptor, const Header& header, const batch::Buffer& bytes) {
  iovec parts[] = {{const_cast<Header*>(&header), sizeof(header)},
                   {const_cast<std::byte*>(bytes.data()), bytes.size()}};
  const ssize_t written = writev(descriptor, parts, 2);
  if (written == static_cast<ssize_t>(sizeof(header) + bytes.size())) return absl::OkStatus();
  // A signal does not cut a write to a disk short; a full disk does.
  return DiskFull(written < 0 ? std::strerror(errno) : "it took a part of a block only");
}

template <typename T>
bool ParseHex(std::string_view text, T& number, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string BlockFileName(const BlockKey& key) {
  return fmt::format("{:016x}{:016x}-{}", key.file_high, key.file_low, key.number);
}

std::optional<BlockKey> ParseBlockFileName(std::string_view name) {
  BlockKey key;
  if (name.size() < 34 || name[32] != '-' || !ParseHex(name.substr(0, 16), key.file_high, 16) ||
      !ParseHex(name.substr(16, 16), key.file_low, 16) ||
      !ParseHex(name.substr(33), key.number, 10)) {
    return std::nullopt;
  }
  return key;
}

absl::Status WriteBlockFile(const std::string& path, const BlockKey& key,
                            const batch::Buffer& bytes) {
  // Two may write the same block at once: each has its own part.
  static std::atomic<int64_t> part_number = 0;
  const std::string part = fmt::format("{}.{}.part", path, ++part_number);
  const int descriptor = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return Unavailable("cannot write {}: {}", part, std::strerror(errno));
  absl::Status status = WriteAll(descriptor, HeaderOf(key, bytes), bytes);
  if (close(descriptor) != 0 || (status.ok() && rename(part.c_str(), path.c_str()) != 0)) {
    status = Unavailable("{}", std::strerror(errno));
  }
  if (!status.ok()) unlink(part.c_str());
  return Annotate(status, "cannot write " + path);
}

absl::StatusOr<batch::Buffer> ReadBlockFile(const std::string& path, const BlockKey& key) {
  ASSIGN_OR_RETURN(const OpenFile file, OpenFile::Open(path));
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  const int64_t size = identity.size_bytes - kBlockHeaderBytes;
  if (size <= 0) return DataLoss("{} is cut off", path);
  Header header{};
  batch::Buffer bytes = batch::Buffer::Allocate(static_cast<size_t>(size));
  ASSIGN_OR_RETURN(size_t got, file.ReadAt(0, reinterpret_cast<char*>(&header), sizeof(header)));
  if (got != sizeof(header)) return DataLoss("{} is cut off", path);
  ASSIGN_OR_RETURN(got, file.ReadAt(kBlockHeaderBytes,
                                    reinterpret_cast<char*>(bytes.mutable_data()), bytes.size()));
  if (got != bytes.size()) return DataLoss("{} is cut off", path);
  const Header expected = HeaderOf(key, bytes);
  if (std::memcmp(&header, &expected, sizeof(header)) != 0) {
    return DataLoss("{} does not match its hash", path);
  }
  return bytes;
}

}  // namespace tidemill::storage
