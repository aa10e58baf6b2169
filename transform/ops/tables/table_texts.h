// Texts that take little more memory than their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::transform {

// Texts by their number, of at most 4 GiB together. Thread-compatible.
class TableTexts {
 public:
  // Takes address space, and no memory, for this many texts.
  void Reserve(size_t num_texts, size_t num_bytes) {
    ends_.reserve(num_texts);
    bytes_.reserve(num_bytes);
  }
  void Add(std::string_view text) {
    bytes_ += text;
    ends_.push_back(static_cast<uint32_t>(bytes_.size()));
  }
  std::string_view At(int64_t number) const {
    const size_t begin = number == 0 ? 0 : ends_[static_cast<size_t>(number) - 1];
    return std::string_view(bytes_).substr(begin, ends_[static_cast<size_t>(number)] - begin);
  }
  int64_t size() const { return static_cast<int64_t>(ends_.size()); }

 private:
  std::string bytes_;
  std::vector<uint32_t> ends_;
};

}  // namespace tidemill::transform
