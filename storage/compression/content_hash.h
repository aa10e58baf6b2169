// The hash of content that arrives in pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "xxhash.h"

namespace tidemill::storage {

// The 64-bit XXH3 of everything added since the beginning or the last Reset(). Thread-compatible.
class ContentHash {
 public:
  ContentHash() : state_(XXH3_createState()) { Reset(); }

  void Reset() { XXH3_64bits_reset(state_.get()); }
  // Takes over what was added to the other one.
  void Continue(const ContentHash& other) { XXH3_copyState(state_.get(), other.state_.get()); }
  void Add(std::string_view bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }
  uint64_t Sum() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };

  std::unique_ptr<XXH3_state_t, Free> state_;
};

}  // namespace tidemill::storage
