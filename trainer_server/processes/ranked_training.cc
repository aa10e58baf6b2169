#include "trainer_server/processes/ranked_training.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/logs/log.h"
#include "base/threads/worker_pool.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"
#include "trainer_server/folders/job_folder.h"
#include "trainer_server/processes/training_specs.h"

namespace tidemill::trainer_server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookEvery{100};
// How many rounds in a row may come no further before one rank is left out, and before the training
// is given up.
constexpr int kRoundsInVain = 2;
constexpr int kMostRoundsInVain = 5;

// Whether a rank that ended with this status was only interrupted.
bool MayContinue(const absl::Status& status) {
  return absl::IsAborted(status) || absl::IsUnavailable(status) || absl::IsUnauthenticated(status);
}

}  // namespace

// One process of a round.
struct Member {
  std::stop_source stop = {};
  Clock::time_point heard = Clock::now();
  bool is_killed = false;
  // How it has ended.
  std::optional<absl::Status> ended = std::nullopt;
};

struct RankedTraining::Round {
  RankPlace place;  // The place of rank 0.
  Mutex mutex;
  CondVar changed;
  std::deque<Member> members ABSL_GUARDED_BY(mutex);
  int64_t reached ABSL_GUARDED_BY(mutex) = 0;  // In samples.
};

absl::StatusOr<RankNumbers> ReadRankNumbers(const std::string& folder) {
  const auto job = ReadMessage<v1::TrainingJob>(folder, kJobFile);
  if (job.ok() && job->ranks() > 0) {
    return RankNumbers{.most = job->ranks(), .least = job->least_ranks()};
  }
  // A version before 0.8 wrote the folder.
  ASSIGN_OR_RETURN(const v1::StartTrainingRequest request, ReadTraining(folder));
  ASSIGN_OR_RETURN(const TrainingSpecs specs, ReadSpecs(request));
  return RankNumbers{.most = specs.training.ranks,
                     .least = specs.training.least_ranks.value_or(specs.training.ranks)};
}

RankedTraining::RankedTraining(RankedTrainingOptions options, RunProcess run)
    : options_(std::move(options)), run_(std::move(run)) {}

absl::Status RankedTraining::Run(const TrainingProcesses::Progress& progress,
                                 const std::stop_token& stop) {
  int64_t size = options_.ranks.most;
  int64_t furthest = -1;
  int in_vain = 0;
  while (true) {
    int64_t reached = 0;
    const absl::Status ended = RunRound(size, reached, progress, stop);
    if (!MayContinue(ended)) return ended;
    in_vain = reached > furthest ? 0 : in_vain + 1;
    furthest = std::max(furthest, reached);
    log::Warn("a training has lost a rank", {{"folder", options_.folder},
                                             {"ranks", std::to_string(size)},
                                             {"samples", std::to_string(reached)},
                                             {"error", std::string(ended.message())}});
    if (in_vain >= kRoundsInVain && size > options_.ranks.least) {
      --size;
      in_vain = 0;
      log::Warn("a training continues with fewer ranks",
                {{"folder", options_.folder}, {"ranks", std::to_string(size)}});
    }
    if (in_vain >= kMostRoundsInVain) return ended;
  }
}

absl::StatusOr<RankPlace> RankedTraining::Prepare(int64_t size) {
  const std::string folder = files::Join(options_.folder, kRanksFolder);
  RETURN_IF_ERROR(files::CreateFolder(folder));
  const std::string store = files::Join(folder, fmt::format("meeting-{}", ++num_rounds_));
  // A server that was killed may have left them.
  RETURN_IF_ERROR(files::Remove(store));
  RETURN_IF_ERROR(files::Remove(EndOfRendezvous(store)));
  return RankPlace{.rank = 0, .size = size, .store = store};
}

absl::Status RankedTraining::RunRound(int64_t size, int64_t& reached,
                                      const TrainingProcesses::Progress& progress,
                                      const std::stop_token& stop) {
  Round round;
  ASSIGN_OR_RETURN(round.place, Prepare(size));
  {
    MutexLock lock(round.mutex);
    round.members.resize(static_cast<size_t>(size));
  }
  {
    WorkerPool threads("ranks", static_cast<int>(size));
    for (int64_t rank = 0; rank < size; ++rank) {
      threads.Submit([this, &round, rank, &progress] { RunRank(round, rank, progress); });
    }
    Watch(round, stop);
  }
  MutexLock lock(round.mutex);
  reached = round.reached;
  // After rank 0 ended, the others only had to wait for it.
  if (round.members.front().ended->ok()) return absl::OkStatus();
  if (stop.stop_requested()) return Cancelled("the training was stopped");
  absl::Status lost = absl::AbortedError("a rank has ended before the others");
  for (const Member& member : round.members) {
    if (member.ended->ok() || member.is_killed) continue;
    if (!MayContinue(*member.ended)) return *member.ended;
    lost = *member.ended;
  }
  return lost;
}

void RankedTraining::RunRank(Round& round, int64_t rank,
                             const TrainingProcesses::Progress& progress) {
  RankPlace place = round.place;
  place.rank = rank;
  std::vector<std::string> arguments = {"train", options_.folder};
  for (std::string& argument : ArgumentsOf(place)) arguments.push_back(std::move(argument));
  std::stop_token stop;
  {
    MutexLock lock(round.mutex);
    stop = round.members[static_cast<size_t>(rank)].stop.get_token();
  }
  const auto take = [&](const v1::WatchTrainingResponse& message) {
    {
      MutexLock lock(round.mutex);
      round.members[static_cast<size_t>(rank)].heard = Clock::now();
      round.reached = std::max(round.reached, message.result().samples_done());
    }
    if (rank == 0 && message.has_result()) progress(message);
  };
  absl::Status ended = run_(arguments, options_.device, take, stop);
  MutexLock lock(round.mutex);
  round.members[static_cast<size_t>(rank)].ended = std::move(ended);
  round.changed.notify_all();
}

void RankedTraining::Watch(Round& round, const std::stop_token& stop) const {
  std::optional<Clock::time_point> lost_at;
  MutexLock lock(round.mutex);
  while (true) {
    int64_t num_left = 0;
    for (const Member& member : round.members) {
      if (!member.ended) ++num_left;
      if (member.ended && !member.ended->ok() && !lost_at) lost_at = Clock::now();
    }
    if (num_left == 0) return;
    if (lost_at) files::WriteAtomically(EndOfRendezvous(round.place.store), "").IgnoreError();
    const bool ends =
        stop.stop_requested() || (lost_at && Clock::now() - *lost_at > options_.patience);
    for (Member& member : round.members) {
      const bool is_silent = Clock::now() - member.heard > options_.patience;
      if (member.ended || member.is_killed || !(ends || is_silent)) continue;
      if (is_silent) {
        log::Warn("a rank says nothing any more and is killed", {{"folder", options_.folder}});
      }
      member.is_killed = true;
      member.stop.request_stop();
    }
    round.changed.wait_for(round.mutex, kLookEvery);
  }
}

}  // namespace tidemill::trainer_server
