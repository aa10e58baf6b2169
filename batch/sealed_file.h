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

// Writes columns of numbers row by row, without holding them in memory:
//
//   ASSIGN_OR_RETURN(auto writer, SealedFileWriter::Create(path, columns, max_rows));
//   RETURN_IF_ERROR(writer->Append(rows)); ...
//   ASSIGN_OR_RETURN(const std::string digest, writer->Seal());
//
// The file is at `path` from the beginning. ReadSealedFile() refuses it until it is sealed. It is
// not synced; a reader detects whether all of it reached the disk. Equal rows make equal bytes.
// Thread-compatible. RESOURCE_EXHAUSTED when the disk is full.
class SealedFileWriter {
 public:
  // Replaces an existing file. `columns` has names, types and shapes, without rows; no column may
  // be nullable or binary. FAILED_PRECONDITION for binary columns.
  static absl::StatusOr<std::unique_ptr<SealedFileWriter>> Create(const std::string& path,
                                                                  const Batch& columns,
                                                                  int64_t max_rows);

  // `rows` has the columns of Create(), in their order. INVALID_ARGUMENT for other columns, or for
  // more than `max_rows`.
  absl::Status Append(const Batch& rows);

  // Ends the file and returns its digest.
  absl::StatusOr<std::string> Seal();

  int64_t num_rows() const { return num_rows_; }

 private:
  SealedFileWriter(Descriptor file, std::string path, Batch columns, int64_t max_rows);

  // Returns the columns with the sizes for `num_rows`, but without numbers.
  absl::StatusOr<Batch> ShapeOf(int64_t num_rows) const;
  // Returns where the columns begin in a file of `num_rows`.
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
  // The columns are views of the mapped file. The file may be removed while they are in use.
  Batch batch;
  std::string digest;
  // The bytes of the file.
  int64_t size_bytes = 0;
};

// Maps a sealed file. NOT_FOUND when there is no file. DATA_LOSS when its bytes do not match the
// digest at its end.
absl::StatusOr<SealedBatch> ReadSealedFile(const std::string& path);

}  // namespace tidemill::batch
