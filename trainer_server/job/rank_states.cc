#include "trainer_server/job/rank_states.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/files.h"
#include "trainer_server/folders/job_folder.h"

namespace tidemill::trainer_server {
namespace {

// As many as a spec allows.
constexpr int64_t kMostRanks = 64;

}  // namespace

std::string RankStates::FolderOf(int64_t rank) const {
  return files::Join(files::Join(folder_, kRanksFolder), std::to_string(rank));
}

absl::StatusOr<std::optional<StoredCheckpoint>> RankStates::Agree(
    Ranks& ranks, std::optional<StoredCheckpoint> found) const {
  // There may have been more ranks: each looks at its part of what was left.
  for (int64_t left = ranks.rank(); left < kMostRanks; left += ranks.size()) {
    const std::string folder = FolderOf(left);
    if (!files::Exists(folder)) continue;
    ASSIGN_OR_RETURN(std::optional<StoredCheckpoint> state, Checkpoints(folder).ReadLatest());
    if (state && (!found || state->batches > found->batches)) found = std::move(state);
  }
  std::vector<double> batches(static_cast<size_t>(ranks.size()), 0);
  if (found) batches[static_cast<size_t>(ranks.rank())] = static_cast<double>(found->batches) + 1;
  RETURN_IF_ERROR(ranks.Sum(batches));
  const auto furthest = std::max_element(batches.begin(), batches.end());
  if (*furthest == 0) return std::optional<StoredCheckpoint>();
  StoredCheckpoint state{.batches = static_cast<int64_t>(*furthest) - 1, .payload = {}};
  const int64_t from = furthest - batches.begin();
  if (from == ranks.rank()) state.payload = std::move(found->payload);
  RETURN_IF_ERROR(ranks.Broadcast(from, state.payload));
  return std::optional(std::move(state));
}

absl::Status RankStates::Leave(int64_t rank, const StoredCheckpoint& state) const {
  const std::string folder = FolderOf(rank);
  RETURN_IF_ERROR(files::CreateFolder(folder));
  return Checkpoints(folder).Write(state);
}

}  // namespace tidemill::trainer_server
