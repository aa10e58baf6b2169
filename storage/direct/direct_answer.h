// Makes the answers to requests for direct reads.
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
#include "storage/filesystems/file_system.h"
#include "storage/gather/direct_frames.h"
#include "storage/index/dataset_index.h"
#include "storage/index/sample_lookup.h"

namespace tidemill::storage {

// The numbers of the files on one connection. The client of the connection maps numbers to files in
// the same way. Thread-compatible.
class FileNumbers {
 public:
  static constexpr uint32_t kNotGiven = ~uint32_t{0};

  // Starts an answer. The numbers used from here on do not change until the next answer.
  void StartAnswer() { ++answer_; }
  // Returns the number of a file, or kNotGiven.
  uint32_t Find(FileId file);
  // Gives a file the number that was unused for the longest time. There always is one, because an
  // answer has fewer files than there are numbers.
  uint32_t Give(FileId file);
  void Forget(uint32_t number);

 private:
  struct Entry {
    FileId file = {};
    int64_t last_answer = 0;  // 0 when the number is free.
  };
  std::array<Entry, direct::kMaxFiles> entries_{};
  absl::flat_hash_map<FileId, uint32_t> number_of_;
  int64_t answer_ = 0;
};

// An answer that is ready to be sent.
struct DirectAnswer {
  std::vector<std::byte> bytes;
  // They are sent with the first byte.
  std::vector<Descriptor> descriptors;
  size_t num_keys = 0;
};

// Where files come from, and the numbers by which the other end knows them.
struct AnsweredFiles {
  FileSystem& source;
  FileNumbers& numbers;
};

// Answers for the first of `keys`: as many as `limits` and the descriptors of one message allow.
// `lookup` must be of `index`. `rows` is scratch memory. Opens files that are on this machine, and
// waits for nothing else.
void MakeAnswer(const DatasetIndex& index, SampleLookup& lookup, const AnsweredFiles& files,
                std::span<const int64_t> keys, const BlockLimits& limits, SampleRows& rows,
                DirectAnswer& answer);

}  // namespace tidemill::storage
