// The processes that train one model together, seen from one of them.
//
// All ranks of a training call the same methods in the same order. All others notice when one of
// them misses a call: a rank that ends, however it ends, closes its connections, and the calls of
// the others fail. No call succeeds after that: each process leaves its state (job/rank_states.h)
// and ends, and RankedTraining starts all of them again.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "torch/torch.h"

#include "base/status.h"
#include "trainer_server/ranks/rank_place.h"

namespace tidemill::trainer_server {

// Every method but the first returns ABORTED once a rank is lost. The sum of equal numbers over
// equally many ranks is the same to the last bit each time. Thread-compatible; is_waiting() may be
// called by any thread.
class Ranks {
 public:
  // Meets the others. Waits for as long as it takes all of them to come. ABORTED when there is
  // an EndOfRendezvous(), or when a rank is lost. UNIMPLEMENTED with a libtorch that has no c10d.
  static absl::StatusOr<std::unique_ptr<Ranks>> Join(const RankPlace& place);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int64_t rank() const { return place_.rank; }
  int64_t size() const { return place_.size; }

  // Replaces each number by its sum over all ranks.
  absl::Status Sum(std::span<double> numbers);

  // Begins to replace the numbers of a dense tensor by their sums. They may be used after
  // FinishSums(), which waits for all sums that have begun.
  absl::Status BeginSum(const torch::Tensor& numbers);
  absl::Status FinishSums();

  // Replaces the bytes by those of a rank, of whatever length.
  absl::Status Broadcast(int64_t from, std::string& bytes);

  // OK until a call fails; from then on its error.
  const absl::Status& status() const { return status_; }

  // Whether a call waits for other ranks.
  bool is_waiting() const { return is_waiting_; }

 private:
  struct Group;  // What there is of c10d.

  explicit Ranks(RankPlace place);
  template <typename Body>
  absl::Status Together(const Body& body);

  const RankPlace place_;
  std::unique_ptr<Group> group_;  // nullptr for a single rank.
  absl::Status status_;
  std::atomic<bool> is_waiting_ = false;
};

}  // namespace tidemill::trainer_server
