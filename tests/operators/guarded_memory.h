// Memory that shows what reads or writes beside it: each piece is next to a page that may not be
// touched. The code that is watched need not be instrumented: the processor reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tidemill::operators {

// Which end of a piece is at the page that may not be touched. Beyond the other end is a rim of
// known bytes, which are compared when the piece is given back.
enum class Edge { kEnd, kStart };

// From here on tensors on the CPU, and everything else that libtorch gets by `new` while a
// WatchedCall lives, are such pieces. Call it once, before there are threads.
void WatchMemory();

// While it lives, new pieces of this thread have this edge, and `fill` in every byte: two calls
// with other fills and other results have read uninitialised memory. std::bad_alloc is thrown where
// all pieces together would be larger than a bound.
class WatchedCall {
 public:
  WatchedCall(Edge edge, uint8_t fill);
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
};

// What was found when a piece was given back, for a handler of SIGABRT; empty when nothing was.
const char* Damage();

// What an address is, for reports: "20 bytes after 64 bytes", "near null", "no memory of a tensor".
// May be called by a handler of signals.
struct AddressKind {
  bool is_beside_memory = false;
  const char* name = "";
};
AddressKind KindOf(uintptr_t address);

}  // namespace tidemill::operators
