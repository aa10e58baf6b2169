// Columns in memory that two processes share: one writes, the other reads. How messages name them
// is in docs/formats/plugin_protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/descriptor.h"
#include "base/status.h"
#include "batch/batch.h"

namespace tidemill::plugin {

// Sparse memory of a fixed size, without a name in the file system. Thread-compatible.
class SharedMemory {
 public:
  enum class Writer { kThisProcess, kTheOther };

  // RESOURCE_EXHAUSTED when the system has none. No process can shrink it; with kThisProcess no
  // other process can write to it.
  static absl::StatusOr<std::unique_ptr<SharedMemory>> Create(const char* name, int64_t bytes,
                                                              Writer writer);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  int number() const { return memory_.number(); }
  std::byte* data() const { return data_; }
  int64_t size() const { return size_; }

 private:
  SharedMemory(Descriptor memory, int64_t size) : memory_(std::move(memory)), size_(size) {}

  const Descriptor memory_;
  const int64_t size_;
  std::byte* data_ = nullptr;
};

// Consecutive rows of a batch.
struct RowRun {
  int64_t first = 0;
  int64_t count = 0;
};

// Divides ascending rows into the fewest runs.
std::vector<RowRun> RunsOf(std::span<const int64_t> rows);

// Writes the columns of one message after another. Thread-compatible.
class ColumnWriter {
 public:
  explicit ColumnWriter(SharedMemory& memory) : memory_(memory) {}

  // Discards the columns written so far.
  void Restart() { end_ = 0; }

  // Where the columns end.
  int64_t end() const { return end_; }

  // Copies the columns and returns {"rows", "columns"}. RESOURCE_EXHAUSTED when they do not fit.
  absl::StatusOr<nlohmann::json> Add(const batch::Batch& batch);
  // Does the same with some rows, in the order of the runs. Each byte is copied once.
  absl::StatusOr<nlohmann::json> Add(const batch::Batch& batch, std::span<const RowRun> runs);
  // Does the same with pieces that together are one table, one after another. All have the same
  // columns, of numbers without validity; otherwise INVALID_ARGUMENT.
  absl::StatusOr<nlohmann::json> AddPieces(std::span<const batch::Batch> pieces);

 private:
  // Returns the offset at which `size` bytes may be written.
  absl::StatusOr<int64_t> Reserve(int64_t size);
  absl::StatusOr<int64_t> Place(const batch::Buffer& buffer);
  absl::StatusOr<int64_t> PlaceNumbers(const batch::Column& column, std::span<const RowRun> runs);
  absl::Status PlaceStrings(const batch::Column& column, std::span<const RowRun> runs,
                            nlohmann::json& said);
  absl::StatusOr<int64_t> PlaceValidity(const batch::Column& column, std::span<const RowRun> runs);
  // Appends the bytes after those written last.
  absl::Status Append(const batch::Buffer& buffer);

  SharedMemory& memory_;
  int64_t end_ = 0;
};

// Returns the columns that {"rows", "columns"} of an answer describe: views of the memory, valid
// until the next message. INVALID_ARGUMENT when a column is not valid or outside the memory: the
// other process is not trusted. Each number may change while it is read.
absl::StatusOr<batch::Batch> ReadColumns(const nlohmann::json& answer,
                                         const std::shared_ptr<const SharedMemory>& memory);

}  // namespace tidemill::plugin
