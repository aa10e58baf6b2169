// Runs the ranks of one training, and starts them again when one of them is lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "tidemill/rpc/v1/device.pb.h"
#include "trainer_server/processes/training_processes.h"
#include "trainer_server/ranks/rank_place.h"

namespace tidemill::trainer_server {

// The ranks that a training may have.
struct RankNumbers {
  int64_t most = 1;
  int64_t least = 1;
};

// Reads them from the folder of a training.
absl::StatusOr<RankNumbers> ReadRankNumbers(const std::string& folder);

struct RankedTrainingOptions {
  std::string folder;
  RankNumbers ranks;
  // The device of each rank.
  rpc::v1::JobDevice device = {};
  // A rank that has said nothing for so long is killed, as are ranks that have not ended so long
  // after another one was lost.
  std::chrono::milliseconds patience{30'000};
};

// A training goes through rounds. In a round, its processes train until the training is over or one
// of them is lost, whether it was killed, stands still or could not reach a service. Then all end:
// the others leave their state, and the next round begins with the most advanced one. Nothing is
// lost but the step in which that happened.
//
//   round 1     rank 0  rank 1  rank 2      rank 1 is killed in step 70
//               state 69        state 70
//   round 2     rank 0  rank 1  rank 2      both continue with step 71
//
// When rounds end without a step, the next one has one rank less, down to `ranks.least`.
// Thread-compatible.
class RankedTraining {
 public:
  // Runs one process of a job; see TrainingProcesses::Run().
  using RunProcess = std::function<absl::Status(
      const std::vector<std::string>& arguments, const rpc::v1::JobDevice& device,
      const TrainingProcesses::Progress& progress, const std::stop_token& stop)>;

  RankedTraining(RankedTrainingOptions options, RunProcess run);

  // Runs the training to its end. `progress` is called with the messages of rank 0. Returns how the
  // training ended: the first error of a rank that has not only lost another one. ABORTED when five
  // rounds in a row came no further. CANCELLED when `stop` is requested.
  absl::Status Run(const TrainingProcesses::Progress& progress, const std::stop_token& stop);

 private:
  struct Round;

  absl::Status RunRound(int64_t size, int64_t& reached, const TrainingProcesses::Progress& progress,
                        const std::stop_token& stop);
  void RunRank(Round& round, int64_t rank, const TrainingProcesses::Progress& progress);
  void Watch(Round& round, const std::stop_token& stop) const;
  absl::StatusOr<RankPlace> Prepare(int64_t size);

  const RankedTrainingOptions options_;
  const RunProcess run_;
  int64_t num_rounds_ = 0;
};

}  // namespace tidemill::trainer_server
