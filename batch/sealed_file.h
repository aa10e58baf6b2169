// A batch on disk in the wire format (wire.h), followed by its SHA-256 in hexadecimal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::batch {

// Writes columns of numbers as their rows come, of which it holds none in memory:
//
//   ASSIGN_OR_RETURN(auto writer, SealedFileWriter::Create(path, columns, max_rows));
//   RETURN_IF_ERROR(writer->Append(rows)); ...
//   ASSIGN_OR_RETURN(const std::string digest, writer->Seal());
//
// The file stands below `path` from the beginning and is refused by ReadSealedFile() until it is
// sealed. It is not synced: a reader finds out whether all of it reached the disk. Equal rows make
// equal bytes. Thread-compatible. RESOURCE_EXHAUSTED when the disk is full.
class SealedFileWriter {
 public:
  // In place of what is there. `columns`: names, types and shapes, without rows, nullable ones or
  // binary ones. FAILED_PRECONDITION for binary ones.
  static absl::StatusOr<std::unique_ptr<SealedFileWriter>> Create(const std::string& path,
                                                                  const Batch& columns,
                                                                  int64_t max_rows);

  // The columns of Create(), in their order. INVALID_ARGUMENT for others or more than `max_rows`.
  absl::Status Append(const Batch& rows);

  // Ends the file and returns its digest.
  absl::StatusOr<std::string> Seal();

  int64_t num_rows() const { return num_rows_; }

 private:
  SealedFileWriter(Descriptor file, std::string path, Batch columns, int64_t max_rows);

  // The columns with the sizes of so many rows, but without numbers.
  absl::StatusOr<Batch> ShapeOf(int64_t num_rows) const;
  // Where the columns begin in a file of so many rows.
  std::vector<int64_t> OffsetsOf(int64_t num_rows) const;
  int64_t RowBytes(size_t column) const;
  absl::Status CloseGaps();
  absl::Status WriteAt(int64_t offset, std::string_view bytes);
  absl::Status ReadAt(int64_t offset, std::span<char> bytes) const;

  const Descriptor file_;
  const std::string path_;
  const Batch columns_;
  const int64_t max_rows_;
  int64_t first_offset_ = 0;
  int64_t num_rows_ = 0;
};

struct SealedBatch {
  // Views of the mapped file, which may be removed meanwhile.
  Batch batch;
  std::string digest;
  // Of the file.
  int64_t size_bytes = 0;
};

// Maps a sealed file. DATA_LOSS when its bytes do not have the digest that stands at their end;
// NOT_FOUND when there is no file.
absl::StatusOr<SealedBatch> ReadSealedFile(const std::string& path);

}  // namespace tidemill::batch
