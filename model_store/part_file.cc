#include "model_store/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <utility>

#include "base/disk_full.h"
#include "base/files.h"
#include "base/whole_io.h"

namespace tidemill::model_store {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

absl::Status Failure(const char* doing, const std::string& path, int error) {
  const char* reason = strerror(error);  // NOLINT(concurrency-mt-unsafe): glibc's is safe.
  if (IsNoRoom(error)) return DiskFull(fmt::format("cannot {} {}: {}", doing, path, reason));
  return Unavailable("cannot {} {}: {}", doing, path, reason);
}

// Calls `sink` with piece after piece from the start of the file to its end.
absl::Status ForEachPiece(int fd, const std::string& path,
                          const std::function<absl::Status(std::string_view)>& sink) {
  std::string piece(kPieceBytes, '\0');
  for (off_t offset = 0;;) {
    const ssize_t size = ReadWholeAt(fd, piece, offset);
    if (size < 0) return Failure("read", path, errno);
    if (size == 0) return absl::OkStatus();
    RETURN_IF_ERROR(sink(std::string_view(piece.data(), static_cast<size_t>(size))));
    offset += size;
  }
}

absl::Status Verify(int fd, const std::string& path, int64_t size_bytes,
                    const std::string& digest) {
  Sha256Stream found;
  int64_t size = 0;
  RETURN_IF_ERROR(ForEachPiece(fd, path, [&](std::string_view piece) {
    found.Add(piece);
    size += static_cast<int64_t>(piece.size());
    return absl::OkStatus();
  }));
  if (size != size_bytes) {
    return DataLoss("{} has {} bytes instead of {}", path, size, size_bytes);
  }
  const std::string found_digest = found.Finish();
  if (found_digest != digest) {
    return DataLoss("{} has the SHA-256 {} instead of {}", path, found_digest, digest);
  }
  return absl::OkStatus();
}

std::string PartialNameOf(const std::string& path) {
  static std::atomic<int64_t> next{0};
  return fmt::format("{}.{}{}", path, next.fetch_add(1), kPartialSuffix);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PartFile>> PartFile::Create(const std::string& path) {
  // Two uploads of the same bytes must not write into one file.
  std::string partial = PartialNameOf(path);
  Descriptor file(open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.is_open()) return Failure("create", partial, errno);
  return std::unique_ptr<PartFile>(new PartFile(path, std::move(partial), std::move(file)));
}

PartFile::PartFile(std::string path, std::string partial_path, Descriptor file)
    : path_(std::move(path)), partial_path_(std::move(partial_path)), file_(std::move(file)) {}

PartFile::~PartFile() {
  if (file_.is_open()) unlink(partial_path_.c_str());
}

absl::Status PartFile::Append(std::string_view bytes) {
  digest_.Add(bytes);
  size_bytes_ += static_cast<int64_t>(bytes.size());
  if (!WriteWhole(file_.number(), bytes)) return Failure("write", partial_path_, errno);
  return absl::OkStatus();
}

absl::Status PartFile::Seal(int64_t size_bytes, const std::string& digest) {
  const std::string found = digest_.Finish();
  if (size_bytes_ != size_bytes) {
    return DataLoss("received {} bytes instead of the {} announced", size_bytes_, size_bytes);
  }
  if (found != digest) {
    return DataLoss("the bytes that arrived have the SHA-256 {} instead of {}", found, digest);
  }
  if (fsync(file_.number()) != 0) return Failure("sync", partial_path_, errno);
  return absl::OkStatus();
}

absl::Status PartFile::Publish() {
  if (rename(partial_path_.c_str(), path_.c_str()) != 0) return Failure("rename", path_, errno);
  file_.Close();
  return absl::OkStatus();
}

absl::Status SyncFolder(const std::string& folder) {
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return Failure("open", folder, errno);
  return fsync(opened.number()) == 0 ? absl::OkStatus() : Failure("sync", folder, errno);
}

absl::Status ShareFile(const std::string& from, const std::string& to) {
  if (from == to) return absl::OkStatus();
  const std::string partial = PartialNameOf(to);
  if (link(from.c_str(), partial.c_str()) != 0) {
    if (errno == ENOENT) return NotFound("{} is gone", from);
    return Failure("link", from, errno);
  }
  const bool renamed = rename(partial.c_str(), to.c_str()) == 0;
  const int error = errno;
  unlink(partial.c_str());  // It is still there where both names were the same file before.
  return renamed ? absl::OkStatus() : Failure("rename", to, error);
}

absl::Status ReadVerified(const std::string& path, int64_t size_bytes, const std::string& digest,
                          const std::function<absl::Status(std::string_view)>& sink) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return DataLoss("{} is gone", path);
  if (!file.is_open()) return Failure("open", path, errno);
  RETURN_IF_ERROR(Verify(file.number(), path, size_bytes, digest));
  return ForEachPiece(file.number(), path, sink);
}

}  // namespace tidemill::model_store
