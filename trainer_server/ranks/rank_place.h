// The place of a process among the ranks of a training: which one it is, of how many, and where
// they meet. The names are those of torchrun.
//
//   RANK=1 WORLD_SIZE=4 STORE=/state/.../ranks/meeting-1      of a trainer server: ranks of one
//   host RANK=1 WORLD_SIZE=4 MASTER_ADDR=10.0.0.7 MASTER_PORT=29500   as torchrun and srun start
//   them
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::trainer_server {

struct RankPlace {
  int64_t rank = 0;
  int64_t size = 1;
  // A file that does not exist before the ranks meet. Its folder is writable for all of them.
  // Empty: they meet at `address`.
  std::string store = {};
  // The host of rank 0, and the port at which it listens.
  std::string address = {};
  int port = 0;
  // Whether the program that started the ranks listens at the port, not rank 0.
  bool is_hosted = false;

  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

// The file whose existence says that no more rank will come to a meeting.
std::string EndOfRendezvous(const std::string& store);

// Returns the place as arguments NAME=VALUE of a job.
std::vector<std::string> ArgumentsOf(const RankPlace& place);

// Returns the place that the arguments name or, where they name none, that `variable` has under
// the same names. std::nullopt when neither does. INVALID_ARGUMENT for a rank that does not exist,
// or one without a meeting place.
absl::StatusOr<std::optional<RankPlace>> ReadRankPlace(
    std::span<const std::string> arguments,
    const std::function<std::optional<std::string>(const std::string&)>& variable);

}  // namespace tidemill::trainer_server
