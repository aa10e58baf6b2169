// The states that the ranks of a training leave when one of them is lost. The training
// continues with the most advanced one, with as many ranks as there are then: a state is a
// checkpoint, and knows no rank.
//
//   <folder>/ranks/<rank>/     see checkpoints.h
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "trainer_server/checkpoints.h"
#include "trainer_server/ranks/ranks.h"

namespace tidemill::trainer_server {

// The states in the folder of a training. Thread-compatible.
class RankStates {
 public:
  explicit RankStates(std::string folder) : folder_(std::move(folder)) {}

  // Returns the most advanced of the states that were left and the checkpoints that ranks have
  // found; of equal ones that of the lowest rank. It is the same in all ranks. std::nullopt when
  // there is none. All ranks call it together. Returns the errors of Ranks.
  absl::StatusOr<std::optional<StoredCheckpoint>> Agree(
      Ranks& ranks, std::optional<StoredCheckpoint> found) const;

  // Leaves a state for those who continue.
  absl::Status Leave(int64_t rank, const StoredCheckpoint& state) const;

 private:
  std::string FolderOf(int64_t rank) const;

  const std::string folder_;
};

}  // namespace tidemill::trainer_server
