// Answers to requests for direct reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/descriptor.h"
#include "base/id.h"
#include "storage/client/direct_frames.h"
#include "storage/index/dataset_index.h"
#include "storage/index/sample_lookup.h"

namespace tidemill::storage {

// The numbers that one connection's files go by; its client maps what they stand for.
// Thread-compatible.
class FileNumbers {
 public:
  static constexpr uint32_t kNotGiven = ~uint32_t{0};

  // Starts an answer: numbers used from here on stay as they are till the next one.
  void StartAnswer() { ++answer_; }
  // The number of a file, kNotGiven if it has none.
  uint32_t Find(FileId file);
  // Gives a file the number that was not used for the longest. There is always one: an answer has
  // fewer files than there are numbers.
  uint32_t Give(FileId file);
  void Forget(uint32_t number);

 private:
  struct Entry {
    FileId file = {};
    int64_t last_answer = 0;  // 0: free.
  };
  std::array<Entry, direct::kMaxFiles> entries_{};
  absl::flat_hash_map<FileId, uint32_t> number_of_;
  int64_t answer_ = 0;
};

// An answer, ready to be sent.
struct DirectAnswer {
  std::vector<std::byte> bytes;
  // To go with the first byte.
  std::vector<Descriptor> descriptors;
  size_t num_keys = 0;
};

// Answers for the first of `keys`, as many as `limits` and the descriptors of one message allow.
// `lookup` is of `index`; `rows` is scratch memory. Opens files, waits for nothing else.
void MakeAnswer(const DatasetIndex& index, SampleLookup& lookup, std::span<const int64_t> keys,
                const BlockLimits& limits, FileNumbers& numbers, SampleRows& rows,
                DirectAnswer& answer);

}  // namespace tidemill::storage
