// A block of samples, made from an answer of storage.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "storage/client/direct_connection.h"
#include "storage/client/direct_reader.h"

namespace tidemill::storage::direct {

// The samples of an answer, with the payloads of its rows gathered. Thread-compatible.
class Block {
 public:
  // `keys` are the keys of the request. INVALID_ARGUMENT when the answer does not fit them.
  static absl::StatusOr<Block> Make(Answer answer, std::span<const int64_t> keys);

  // The positions, in order, of the keys that must be read over gRPC.
  const std::vector<uint32_t>& unread() const { return unread_; }
  // Returns the files from which rows could not be read.
  std::vector<uint32_t> damaged_files() const;

  // Gives the block to the sink, after the unread keys are read over gRPC.
  absl::Status Deliver(const SampleSink& sink, const OtherWay& other_way);

 private:
  absl::Status Gather();
  absl::StatusOr<batch::Batch> MakeBatch();
  std::vector<v1::MissingSample> FinalProblems() const;

  Answer answer_;
  std::span<const int64_t> keys_;
  batch::Buffer payload_;
  batch::Buffer offsets_;
  std::vector<uint32_t> bad_rows_;
  std::vector<uint32_t> row_positions_;  // One position per row; empty when all keys have rows.
  std::vector<uint32_t> unread_;
};

}  // namespace tidemill::storage::direct
