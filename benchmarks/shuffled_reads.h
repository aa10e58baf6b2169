// Reads of randomly chosen samples, which several benchmarks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "benchmarks/served_records.h"

namespace tidemill::benchmarks {

inline constexpr size_t kKeysPerRead = 262'144;

// Repeated requests of randomly drawn keys. Each request has other keys.
class ShuffledReads {
 public:
  explicit ShuffledReads(const ServedRecords& records);
  const std::vector<int64_t>& Next() { return requests_[next_++ % requests_.size()]; }

 private:
  std::vector<std::vector<int64_t>> requests_;
  size_t next_ = 0;
};

// Ends the program unless every key is answered by its own payload, label and time, in order.
void CheckContent(const ServedRecords& records, const std::vector<int64_t>& keys);

// Reads the samples of the keys and returns their number.
double Read(const ServedRecords& records, std::span<const int64_t> keys);

}  // namespace tidemill::benchmarks
