// A column of keys that grows at its end: in memory up to a budget, beyond it in a file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "selector/columns/temporary_file.h"

namespace tidemill::selector {

// Thread-compatible.
class KeyColumn {
 public:
  // `memory_budget`: bytes of keys held in memory, at least one block. `folder`: where the file
  // goes that takes the rest.
  KeyColumn(std::string folder, int64_t memory_budget);

  absl::Status Append(std::span<const int64_t> keys);
  int64_t size() const { return size_; }

  // Calls `body` with the keys from `first` on, in order, piece by piece. Any number of times.
  using Body = std::function<absl::Status(std::span<const int64_t>)>;
  absl::Status ForEach(int64_t first, const Body& body) const;

 private:
  using Block = std::vector<int64_t>;

  absl::Status Spill();

  std::string folder_;
  size_t max_blocks_;
  int64_t size_ = 0;
  // In memory for good, each full but perhaps the last.
  std::vector<Block> blocks_;
  // The keys after those: first those of the file, then the block that will be written next.
  std::unique_ptr<TemporaryFile> file_;
  int64_t in_file_ = 0;
  Block last_;
};

}  // namespace tidemill::selector
