// The safetensors file format, version 0: named arrays of numbers, without any code in the file.
//
//   u64 length of the header | header: JSON, padded with spaces | the arrays' bytes
//
// The project implements it because no packaged C++ library exists. The same arrays give the same
// bytes: names are sorted, padding is fixed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill::models {

// An array. `dtype` is the format's name of its type: F32, F64, I64, U8 ...
struct TensorBytes {
  std::string dtype;
  std::vector<int64_t> shape;
  // Little-endian, row-major. For a file that was read, it is a view of the file's bytes.
  std::string_view bytes;
};

struct TensorFile {
  std::map<std::string, TensorBytes> tensors;
  // Free text by name: the `__metadata__` of the header.
  std::map<std::string, std::string> metadata;
};

// INVALID_ARGUMENT for an unknown dtype, a size that does not fit the shape, or a reserved name.
absl::StatusOr<std::string> WriteTensorFile(const TensorFile& file);

// Reads a file without copying the arrays: `bytes` must outlive the result. DATA_LOSS for a
// violation of the format: a header that is too long, is not JSON, or has a name twice; an unknown
// dtype; a size that does not fit the shape; arrays that overlap, leave gaps, or do not end with
// the file.
absl::StatusOr<TensorFile> ReadTensorFile(std::string_view bytes);

// The most bytes that ReadTensorHeader() needs of a file of these first 8 bytes. DATA_LOSS when it
// cannot be a safetensors file.
absl::StatusOr<int64_t> HeaderBytes(std::string_view first);

// Reads what a file of `file_bytes` bytes holds from its beginning, `head`, which has
// HeaderBytes(). The arrays have no bytes. DATA_LOSS as ReadTensorFile().
absl::StatusOr<TensorFile> ReadTensorHeader(std::string_view head, int64_t file_bytes);

}  // namespace tidemill::models
