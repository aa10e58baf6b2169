// The files of a shared stream in which chunks of rows wait for their consumers. See
// docs/formats/shared_rows.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "loader/training_set.h"

namespace tidemill::loader {

struct StoredChunk {
  int64_t number = 0;
  int64_t bytes = 0;
};

// Returns the bytes of the file of a chunk. `rows` has at most one piece.
int64_t ChunkBytes(const Rows& rows);

// Makes the file of a chunk in `folder`. It appears as a whole, or not at all, also when the
// process dies. OK when it is already there. RESOURCE_EXHAUSTED when shared memory is full;
// UNAVAILABLE when the folder is gone. `rows` has at most one piece.
absl::Status WriteChunk(const std::string& folder, int64_t number, const Rows& rows);

// Returns views of a chunk, which live on when the file is removed. NOT_FOUND when there is none.
// DATA_LOSS when its bytes are not those that were written.
absl::StatusOr<Rows> ReadChunk(const std::string& folder, int64_t number);

// Returns the chunks in the folder, the lowest number first.
std::vector<StoredChunk> ListChunks(const std::string& folder);

void RemoveChunk(const std::string& folder, int64_t number);

}  // namespace tidemill::loader
