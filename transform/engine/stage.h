// Ops of a graph that run together: in turn on blocks of rows small enough to stay in the cache.
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

// Makes the same columns, rejects the same rows for the same reasons, to the last bit, as its ops
// one after another on whole columns would. A column that is used within the stage alone is never
// whole in memory; where nobody else needs what an op reads, the op writes over it; and what is
// used later is written once, in its place.
//
// Immutable, hence thread-safe. The ops must outlive it.
class Stage {
 public:
  struct Member {
    const BlockOp* op = nullptr;
    std::string name = {};  // For messages.
  };

  // `members`: consecutive ops of a graph. `used_later(slot)`: whether somebody after them uses the
  // column that they leave in that slot.
  Stage(std::vector<Member> members, const std::function<bool(int)>& used_later);

  // `learned`: one for each op. `work`, empty or one for each op: what each did; its times are
  // wall_ns alone.
  absl::Status Run(std::span<const LearnedNumbers> learned, Frame& frame,
                   std::span<OpWork> work) const;

 private:
  // Where numbers of a row lie while the stage runs.
  struct Memory {
    enum class Kind { kFrame, kKept, kScratch };
    Kind kind = Kind::kScratch;
    // The column that is read or kept there; for kScratch unused.
    BoundColumn column = {};
    size_t row_bytes = 0;
  };
  // By place in `memories_`, for each input and output of an op.
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
  std::vector<Places> places_;  // Of each member.
  std::vector<Memory> memories_;
  size_t row_bytes_ = 0;  // Of all memories.
};

}  // namespace tidemill::transform
