#include "trainer_server/processes/ranked_training.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::trainer_server {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// What a process gets, and what it can do.
struct Process {
  RankPlace place;
  int64_t round = 0;  // From 1 on.
  const TrainingProcesses::Progress& progress;
  const std::stop_token& stop;

  void Report(int64_t samples) const {
    v1::WatchTrainingResponse message;
    message.mutable_result()->set_samples_done(samples);
    progress(message);
  }
  // Lives until the round is over, or it is killed, and says so all the time.
  absl::Status Live() const {
    while (!stop.stop_requested()) {
      if (files::Exists(EndOfRendezvous(place.store)))
        return absl::AbortedError("lost another rank");
      progress(v1::WatchTrainingResponse());
      std::this_thread::yield();
    }
    return Cancelled("killed");
  }
  // Stands still until it is killed.
  absl::Status Hang() const {
    while (!stop.stop_requested()) std::this_thread::yield();
    return Cancelled("killed");
  }
};

class RankedTrainingTest : public ::testing::Test {
 protected:
  RankedTrainingTest() {
    char pattern[] = "/tmp/ranked-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~RankedTrainingTest() override { fs::remove_all(folder_); }

  absl::Status Run(RankNumbers ranks, const std::function<absl::Status(const Process&)>& process,
                   const std::stop_token& stop = {}) {
    const auto run = [&](const std::vector<std::string>& arguments, const rpc::v1::JobDevice&,
                         const TrainingProcesses::Progress& progress,
                         const std::stop_token& own_stop) {
      const auto place = ReadRankPlace(arguments, [](const auto&) { return std::nullopt; });
      EXPECT_THAT(place.status(), IsOk());
      const std::string name = fs::path((*place)->store).filename();
      const int64_t round = std::stoll(name.substr(name.find('-') + 1));
      {
        const std::lock_guard lock(mutex_);
        ++sizes_[round];
      }
      return process({**place, round, progress, own_stop});
    };
    RankedTraining training({.folder = folder_, .ranks = ranks, .patience = patience_}, run);
    const auto show = [&](const v1::WatchTrainingResponse& message) {
      shown_.push_back(message.result().samples_done());
    };
    return training.Run(show, stop);
  }

  // The number of ranks of each round.
  std::vector<int64_t> Sizes() const {
    std::vector<int64_t> sizes;
    for (const auto& [round, size] : sizes_) sizes.push_back(size);
    return sizes;
  }

  std::chrono::milliseconds patience_{60'000};
  std::string folder_;
  std::vector<int64_t> shown_;
  std::mutex mutex_;
  std::map<int64_t, int64_t> sizes_;
};

TEST_F(RankedTrainingTest, ShowsWhatTheFirstRankReports) {
  EXPECT_THAT(Run({3, 3},
                  [](const Process& process) {
                    process.progress(v1::WatchTrainingResponse());  // A sign of life.
                    process.Report(10 + process.place.rank);
                    return absl::OkStatus();
                  }),
              IsOk());
  EXPECT_THAT(shown_, ElementsAre(10));
  EXPECT_THAT(Sizes(), ElementsAre(3));
}

TEST_F(RankedTrainingTest, StartsAllRanksAgainWhenOneIsLost) {
  for (const absl::Status& lost : {absl::AbortedError("killed"), Unavailable("storage is away")}) {
    sizes_.clear();
    EXPECT_THAT(Run({3, 3},
                    [&](const Process& process) {
                      process.Report(process.round);
                      if (process.round == 4) return absl::OkStatus();
                      return process.place.rank == process.round - 1 ? lost : process.Live();
                    }),
                IsOk());
    EXPECT_THAT(Sizes(), ElementsAre(3, 3, 3, 3));
  }
}

TEST_F(RankedTrainingTest, TheErrorOfOneRankIsThatOfTheTraining) {
  const absl::Status ended = Run({2, 1}, [](const Process& process) {
    return process.place.rank == 1 ? FailedPrecondition("the loss is infinite") : process.Live();
  });
  EXPECT_THAT(ended, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("infinite")));
  EXPECT_THAT(Sizes(), ElementsAre(2));
}

TEST_F(RankedTrainingTest, WhatHappensAfterTheFirstRankIsDoneDoesNotMatter) {
  EXPECT_THAT(Run({2, 2},
                  [](const Process& process) {
                    return process.place.rank == 1 ? absl::AbortedError("killed")
                                                   : absl::OkStatus();
                  }),
              IsOk());
  EXPECT_THAT(Sizes(), ElementsAre(2));
}

TEST_F(RankedTrainingTest, KillsARankThatStandsStill) {
  patience_ = std::chrono::milliseconds(300);
  EXPECT_THAT(Run({2, 2},
                  [](const Process& process) {
                    process.Report(process.round);
                    if (process.round == 2) return absl::OkStatus();
                    return process.place.rank == 1 ? process.Hang() : process.Live();
                  }),
              IsOk());
  EXPECT_THAT(Sizes(), ElementsAre(2, 2));
}

TEST_F(RankedTrainingTest, ContinuesWithFewerWhenRoundsComeNoFurther) {
  const auto rank_2_cannot_be_started = [](const Process& process) {
    process.Report(1);
    if (process.place.size == 2) return absl::OkStatus();
    return process.place.rank == 2 ? absl::AbortedError("killed") : process.Live();
  };
  EXPECT_THAT(Run({3, 2}, rank_2_cannot_be_started), IsOk());
  EXPECT_THAT(Sizes(), ElementsAre(3, 3, 3, 2)) << "the first one came further than nothing";
  sizes_.clear();
  EXPECT_TRUE(absl::IsAborted(Run({3, 3}, rank_2_cannot_be_started)));
  EXPECT_THAT(Sizes(), ElementsAre(3, 3, 3, 3, 3, 3));
}

TEST_F(RankedTrainingTest, EndsWhenItIsStopped) {
  std::stop_source stop;
  const absl::Status ended = Run(
      {2, 2},
      [&](const Process& process) {
        if (process.place.rank == 1) stop.request_stop();
        return process.Live();
      },
      stop.get_token());
  EXPECT_TRUE(absl::IsCancelled(ended)) << ended.ToString();
}

}  // namespace
}  // namespace tidemill::trainer_server
