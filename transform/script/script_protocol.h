// The protocol between the op `torchscript` and the process that runs its program.
//
//   tidemill-transform-script --input float32:3,32,32 --input int64: --output float32:16
//
//   descriptor 3   a SOCK_SEQPACKET pair: ScriptRequest there, ScriptReply back. The process
//                  confirms with a reply that it has loaded the program, and ends when the pair is
//                  closed.
//   descriptor 4   memory that both map, blocks of kScriptRows rows: see ScriptLayout.
//   descriptor 5   the program's bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// The number of rows in every call of forward(). It is always the same: arithmetic on another
// number of rows may round differently, and the result for a row must not depend on the other rows.
inline constexpr int64_t kScriptRows = 64;

inline constexpr int kScriptSocket = 3;
inline constexpr int kScriptMemory = 4;
inline constexpr int kScriptProgram = 5;

// A request to run the program on the first blocks.
struct ScriptRequest {
  int64_t num_blocks = 0;
};

// The result of a request: OK, or the reason of the failure.
struct ScriptReply {
  int32_t is_good = 0;
  char reason[1020] = {};
};

// The places of the numbers in a block. A value.
class ScriptLayout {
 public:
  ScriptLayout(std::vector<ColumnSchema> inputs, ColumnSchema output);

  const std::vector<ColumnSchema>& inputs() const { return inputs_; }
  const ColumnSchema& output() const { return output_; }
  int64_t block_bytes() const { return block_bytes_; }
  // The number of blocks that the memory holds: about a megabyte, at least one block.
  int64_t num_blocks() const;
  int64_t bytes() const { return num_blocks() * block_bytes_; }

  // Offsets into the memory.
  int64_t InputAt(size_t input, int64_t block) const {
    return block * block_bytes_ + input_offsets_[input];
  }
  int64_t OutputAt(int64_t block) const { return block * block_bytes_ + output_offset_; }

 private:
  std::vector<ColumnSchema> inputs_;
  ColumnSchema output_;
  std::vector<int64_t> input_offsets_;
  int64_t output_offset_ = 0;
  int64_t block_bytes_ = 0;
};

// Returns the bytes of a row of such a column.
int64_t RowBytes(const ColumnSchema& column);

// Converts a column, without its name, to an argument of the program, and back. INVALID_ARGUMENT
// for any other text.
std::string ToArgument(const ColumnSchema& column);
absl::StatusOr<ColumnSchema> FromArgument(std::string_view argument);

}  // namespace tidemill::transform
