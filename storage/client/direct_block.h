// A block of samples made of an answer of storage.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "storage/client/direct_connection.h"
#include "storage/client/direct_reader.h"

namespace tidemill::storage::direct {

// What an answer comes to, with the payloads of its rows gathered. Thread-compatible.
class Block {
 public:
  // `keys` are those that the answer is about. INVALID_ARGUMENT for an answer that makes no sense.
  static absl::StatusOr<Block> Make(Answer answer, std::span<const int64_t> keys);

  // The positions, in order, of keys that have to be read some other way.
  const std::vector<uint32_t>& unread() const { return unread_; }
  // Files that rows could not be read from.
  std::vector<uint32_t> damaged_files() const;

  // Gives the block to the sink, after what is unread was read the other way.
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
  std::vector<uint32_t> row_positions_;  // Of the keys; empty when all keys have rows.
  std::vector<uint32_t> unread_;
};

}  // namespace tidemill::storage::direct
