// A column of keys that grows at its end. It is held in memory up to a budget; the rest goes into a
// file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "selector/columns/large_pages.h"
#include "selector/columns/temporary_file.h"

namespace tidemill::selector {

// Thread-compatible.
class KeyColumn {
 public:
  // `memory_budget` is the number of bytes of keys held in memory, at least one block. `folder` is
  // where the file with the rest goes.
  KeyColumn(std::string folder, int64_t memory_budget);

  absl::Status Append(std::span<const int64_t> keys);
  int64_t size() const { return size_; }

  // Calls `body` with the keys from `first` on, in order and piece by piece. It may be called any
  // number of times.
  using Body = std::function<absl::Status(std::span<const int64_t>)>;
  absl::Status ForEach(int64_t first, const Body& body) const;

  // Returns keys from `first` on: as many as are contiguous, and none after the end. `read` holds
  // them when they come from the file.
  absl::StatusOr<std::span<const int64_t>> PieceAt(int64_t first, std::vector<int64_t>& read) const;

  // Sets keys[i] to the key at rows[i]. The rows exist and ascend.
  absl::Status Take(std::span<const int64_t> rows, std::span<int64_t> keys) const;

 private:
  using Block = std::vector<int64_t, LargePages<int64_t>>;

  absl::Status Spill();

  std::string folder_;
  size_t max_blocks_;
  int64_t size_ = 0;
  // The blocks that stay in memory. Every block is full, except perhaps the last.
  std::vector<Block> blocks_;
  // The keys after those of `blocks_`: first the ones in the file, then the block that will be
  // written next.
  std::unique_ptr<TemporaryFile> file_;
  int64_t in_file_ = 0;
  std::vector<int64_t> last_;
};

}  // namespace tidemill::selector
