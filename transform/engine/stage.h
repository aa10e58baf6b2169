// Runs several ops of a graph together. They take turns on blocks of rows that are small enough to
// stay in the processor's cache.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "transform/engine/block_op.h"
#include "transform/engine/op_counters.h"

namespace tidemill::transform {

// The results equal, to the last bit, those of the ops run one after another on whole columns: the
// same columns, and the same rows rejected for the same reasons. A column that is used only within
// the stage is never whole in memory. An op writes over its input when no other op needs it. A
// column that is used later is written once, to its final place.
//
// Immutable, so thread-safe. The ops must outlive it.
class Stage {
 public:
  struct Member {
    const BlockOp* op = nullptr;
    std::string name = {};           // The name for messages.
    bool inputs_are_finite = false;  // As in Block.
  };

  // `members` are consecutive ops of a graph. `used_later(slot)` says whether a later op uses the
  // column that they leave in that slot.
  Stage(std::vector<Member> members, const std::function<bool(int)>& used_later);

  // `learned` has one entry for each op. `work` is empty, or has one entry for each op; it receives
  // the work of each op, with wall_ns as its only time.
  absl::Status Run(std::span<const LearnedNumbers> learned, Frame& frame,
                   std::span<OpWork> work) const;

 private:
  // The places of the numbers of a row while the stage runs.
  struct Memory {
    enum class Kind { kFrame, kKept, kScratch };
    Kind kind = Kind::kScratch;
    // The column that is read or stored there. Unused for kScratch.
    BoundColumn column = {};
    size_t row_bytes = 0;
  };
  // For each input and output of an op, its index in `memories_`.
  struct Places {
    std::vector<int> inputs = {};
    std::vector<int> outputs = {};
  };
  struct Value;
  struct Pointers;

  std::vector<Value> ValuesOf(const std::function<bool(int)>& used_later);
  int MemoryFor(const std::vector<Value>& values, size_t member, size_t output) const;
  void Assign(std::vector<Value>& values);
  int64_t RowsPerBlock(int64_t num_rows) const;
  absl::Status RunMember(size_t member, const LearnedNumbers& learned, int64_t first_row,
                         int64_t num_rows, Pointers& pointers, Frame& frame) const;

  std::vector<Member> members_;
  std::vector<Places> places_;  // One entry per member.
  std::vector<Memory> memories_;
  size_t row_bytes_ = 0;  // The bytes of a row in all memories.
};

}  // namespace tidemill::transform
