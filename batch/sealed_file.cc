#include "batch/sealed_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/disk_full.h"
#include "base/paths/regular_file.h"
#include "base/whole_io.h"
#include "batch/wire.h"

namespace tidemill::batch {
namespace {

constexpr int64_t kDigestSize = 64;  // SHA-256 in hexadecimal.
// Hashed while it is still in the cache.
constexpr int64_t kPieceBytes = int64_t{256} << 10;

absl::Status Failed(std::string_view doing, const std::string& path) {
  const int error = errno;
  if (IsNoRoom(error)) {
    return DiskFull(fmt::format("cannot {} {}: {}", doing, path, std::strerror(error)));
  }
  if (error == EFBIG) {
    return ResourceExhausted("cannot {} {}: {}", doing, path, std::strerror(error));
  }
  if (error == ENOENT) return NotFound("there is no {}", path);
  return Internal("cannot {} {}: {}", doing, path, std::strerror(error));
}

int64_t RoundUpTo64(int64_t size) { return (size + 63) / 64 * 64; }

// Pages of the file, which the kernel may take back at any time, rather than memory of our own: a
// reader that stalls in the middle costs nothing. A sealed file is never written to.
absl::StatusOr<Buffer> MapFile(int file, const std::string& path, int64_t size) {
  const auto length = static_cast<size_t>(size);
  void* const memory = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file, 0);
  if (memory == MAP_FAILED) return Internal("cannot map {}: {}", path, std::strerror(errno));
  const auto unmap = [length](void* mapped) { ::munmap(mapped, length); };
  return Buffer::Wrap(memory, length, std::shared_ptr<void>(memory, unmap));
}

}  // namespace

SealedFileWriter::SealedFileWriter(Descriptor file, std::string path, Batch columns,
                                   int64_t max_rows)
    : file_(std::move(file)),
      path_(std::move(path)),
      columns_(std::move(columns)),
      max_rows_(max_rows) {}

absl::StatusOr<std::unique_ptr<SealedFileWriter>> SealedFileWriter::Create(const std::string& path,
                                                                           const Batch& columns,
                                                                           int64_t max_rows) {
  for (const Column& column : columns.columns()) {
    if (column.type == DataType::kBinary) {
      return FailedPrecondition("'{}' is not a column of numbers", column.name);
    }
  }
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.is_open()) return Failed("create", path);
  std::unique_ptr<SealedFileWriter> writer(
      new SealedFileWriter(std::move(file), path, columns, max_rows));
  ASSIGN_OR_RETURN(const Batch shape, writer->ShapeOf(1));
  writer->first_offset_ = static_cast<int64_t>(FirstBufferOffset(shape));
  return writer;
}

int64_t SealedFileWriter::RowBytes(size_t column) const {
  const Column& one = columns_.columns()[column];
  return one.Width() * static_cast<int64_t>(SizeOf(one.type));
}

absl::StatusOr<Batch> SealedFileWriter::ShapeOf(int64_t num_rows) const {
  Batch shape(num_rows);
  for (size_t i = 0; i < columns_.columns().size(); ++i) {
    Column column = columns_.columns()[i];
    column.data = Buffer::Wrap(nullptr, static_cast<size_t>(num_rows * RowBytes(i)), nullptr);
    RETURN_IF_ERROR(shape.Set(std::move(column)));
  }
  return shape;
}

std::vector<int64_t> SealedFileWriter::OffsetsOf(int64_t num_rows) const {
  std::vector<int64_t> offsets;
  int64_t at = first_offset_;
  for (size_t i = 0; i < columns_.columns().size(); ++i) {
    offsets.push_back(RoundUpTo64(at));
    at = offsets.back() + num_rows * RowBytes(i);
  }
  return offsets;
}

absl::Status SealedFileWriter::Append(const Batch& rows) {
  if (num_rows_ + rows.num_rows() > max_rows_) {
    return InvalidArgument("received more rows than the {} announced", max_rows_);
  }
  const std::vector<int64_t> offsets = OffsetsOf(max_rows_);
  for (size_t i = 0; i < columns_.columns().size(); ++i) {
    const Column& expected = columns_.columns()[i];
    ASSIGN_OR_RETURN(const Column* column, rows.Get(expected.name, expected.type));
    if (column->shape != expected.shape) {
      return InvalidArgument("rows of '{}' do not have the shape of earlier rows", expected.name);
    }
    RETURN_IF_ERROR(WriteAt(offsets[i] + num_rows_ * RowBytes(i), column->data.view()));
  }
  num_rows_ += rows.num_rows();
  return absl::OkStatus();
}

// The columns were placed for as many rows as there could be.
absl::Status SealedFileWriter::CloseGaps() {
  static constexpr char kZeros[64] = {};
  const std::vector<int64_t> from = OffsetsOf(max_rows_);
  const std::vector<int64_t> to = OffsetsOf(num_rows_);
  std::vector<char> piece(static_cast<size_t>(kPieceBytes));
  for (size_t i = 0; i < to.size(); ++i) {
    const int64_t size = num_rows_ * RowBytes(i);
    for (int64_t at = 0; at < size && from[i] != to[i]; at += kPieceBytes) {
      const auto bytes =
          std::span(piece).first(static_cast<size_t>(std::min(size - at, kPieceBytes)));
      RETURN_IF_ERROR(ReadAt(from[i] + at, bytes));
      RETURN_IF_ERROR(WriteAt(to[i] + at, {bytes.data(), bytes.size()}));
    }
    if (i + 1 == to.size()) break;
    const int64_t end = to[i] + size;
    RETURN_IF_ERROR(WriteAt(end, {kZeros, static_cast<size_t>(to[i + 1] - end)}));
  }
  return absl::OkStatus();
}

// The header comes first and says how many rows there are, so the file is read again for its
// digest.
absl::StatusOr<std::string> SealedFileWriter::Seal() {
  RETURN_IF_ERROR(CloseGaps());
  ASSIGN_OR_RETURN(const Batch shape, ShapeOf(num_rows_));
  const auto size = static_cast<int64_t>(EncodedSize(shape));
  RETURN_IF_ERROR(WriteAt(0, EncodeHead(shape)));
  if (::ftruncate(file_.number(), size) != 0) return Failed("cut", path_);
  Sha256Stream sha256;
  std::vector<char> piece(static_cast<size_t>(std::min(size, kPieceBytes)));
  for (int64_t at = 0; at < size; at += kPieceBytes) {
    const auto bytes =
        std::span(piece).first(static_cast<size_t>(std::min(size - at, kPieceBytes)));
    RETURN_IF_ERROR(ReadAt(at, bytes));
    sha256.Add({bytes.data(), bytes.size()});
  }
  std::string digest = sha256.Finish();
  RETURN_IF_ERROR(WriteAt(size, digest));
  return digest;
}

absl::Status SealedFileWriter::WriteAt(int64_t offset, std::string_view bytes) {
  return WriteWholeAt(file_.number(), bytes, offset) ? absl::OkStatus() : Failed("write", path_);
}

absl::Status SealedFileWriter::ReadAt(int64_t offset, std::span<char> bytes) const {
  const ssize_t count = ReadWholeAt(file_.number(), bytes, offset);
  if (count < 0) return Failed("read", path_);
  if (count < std::ssize(bytes)) return Internal("{} has become shorter", path_);
  return absl::OkStatus();
}

absl::StatusOr<SealedBatch> ReadSealedFile(const std::string& path) {
  // Those that plug-ins and evaluations have written come from processes that are not trusted.
  ASSIGN_OR_RETURN(const Descriptor file, files::OpenRegular(AT_FDCWD, path));
  struct stat info = {};
  if (::fstat(file.number(), &info) != 0) return Failed("open", path);
  const int64_t size = info.st_size - kDigestSize;
  if (size <= 0) return DataLoss("{} is cut short", path);
  ASSIGN_OR_RETURN(const Buffer bytes, MapFile(file.number(), path, info.st_size));
  Sha256Stream sha256;
  for (int64_t at = 0; at < size; at += kPieceBytes) {
    sha256.Add(bytes.view().substr(static_cast<size_t>(at),
                                   static_cast<size_t>(std::min(size - at, kPieceBytes))));
  }
  const std::string_view sealed = bytes.view().substr(static_cast<size_t>(size));
  std::string found = sha256.Finish();
  if (found != sealed) {
    return DataLoss("{} does not match its SHA-256: found {}, sealed as {}", path, found, sealed);
  }
  ASSIGN_OR_RETURN(Batch batch, Decode(bytes.Slice(0, static_cast<size_t>(size))));
  return SealedBatch{
      .batch = std::move(batch), .digest = std::move(found), .size_bytes = info.st_size};
}

}  // namespace tidemill::batch
