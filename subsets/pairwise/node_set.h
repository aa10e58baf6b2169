// Sets of nodes with one bit per node, in memory that the caller owns. Node v is bit v % 64 of word
// v / 64.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <span>

#include "base/check.h"

namespace tidemill::subsets {

inline constexpr int64_t kNodesInWord = 64;

inline int64_t NumWords(int64_t num_nodes) { return (num_nodes + kNodesInWord - 1) / kNodesInWord; }

inline bool Contains(std::span<const uint64_t> set, int64_t node) {
  return (set[static_cast<size_t>(node) / 64] >> (static_cast<size_t>(node) % 64) & 1) != 0;
}

// Processes that share the set may call it at the same time.
inline void InsertShared(std::span<uint64_t> set, int64_t node) {
  std::atomic_ref<uint64_t>(set[static_cast<size_t>(node) / 64])
      .fetch_or(uint64_t{1} << (static_cast<size_t>(node) % 64), std::memory_order_relaxed);
}

inline void Insert(std::span<uint64_t> set, int64_t node) {
  set[static_cast<size_t>(node) / 64] |= uint64_t{1} << (static_cast<size_t>(node) % 64);
}

inline void Erase(std::span<uint64_t> set, int64_t node) {
  set[static_cast<size_t>(node) / 64] &= ~(uint64_t{1} << (static_cast<size_t>(node) % 64));
}

// Calls body(node) for the nodes of [from, to) in the set, ascending. `from` must be a multiple of
// 64. `to` must be one, too, or the number of nodes.
template <typename Body>
void ForEachNode(std::span<const uint64_t> set, int64_t from, int64_t to, Body&& body) {
  TIDEMILL_CHECK(from % kNodesInWord == 0 && NumWords(to) <= std::ssize(set));
  for (int64_t word = from / kNodesInWord; word < NumWords(to); ++word) {
    for (uint64_t bits = set[static_cast<size_t>(word)]; bits != 0; bits &= bits - 1) {
      body(word * kNodesInWord + std::countr_zero(bits));
    }
  }
}

// Counts the nodes of [from, to), with bounds as in ForEachNode().
inline int64_t CountNodes(std::span<const uint64_t> set, int64_t from, int64_t to) {
  TIDEMILL_CHECK(from % kNodesInWord == 0 && NumWords(to) <= std::ssize(set));
  int64_t count = 0;
  for (int64_t word = from / kNodesInWord; word < NumWords(to); ++word) {
    count += std::popcount(set[static_cast<size_t>(word)]);
  }
  return count;
}

// Inserts all nodes [0, num_nodes).
inline void InsertAll(std::span<uint64_t> set, int64_t num_nodes) {
  for (uint64_t& word : set) word = ~uint64_t{0};
  if (const int64_t last = num_nodes % kNodesInWord; last != 0 && !set.empty()) {
    set.back() = (uint64_t{1} << last) - 1;
  }
}

}  // namespace tidemill::subsets
