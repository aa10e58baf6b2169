// The name of what was prepared of a sample, within one point of a graph.
#pragma once

#include <cstdint>

namespace tidemill::prepared {

// A key names one record forever in its stack. `record` is what storage says the record is
// (FindIdentities), so that the samples of another stack with the same keys have other names.
struct SampleName {
  int64_t key = 0;
  uint64_t record = 0;  // 0 names nothing: such a sample is never found, and never kept.

  friend bool operator==(const SampleName&, const SampleName&) = default;

  template <typename H>
  friend H AbslHashValue(H hash, const SampleName& name) {
    return H::combine(std::move(hash), name.key, name.record);
  }
};

}  // namespace tidemill::prepared
