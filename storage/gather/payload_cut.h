// The bytes of a record that are its label, and therefore not part of the payload.
#pragma once

#include <cstdint>

namespace tidemill::storage {

// `size` bytes at `offset` of each record. None when `size` is 0. The hash of a record covers all
// of it.
struct PayloadCut {
  int64_t offset = 0;
  int64_t size = 0;
};

}  // namespace tidemill::storage
