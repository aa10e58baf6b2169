// Jobs that another trainer server continues, or one whose folders are lost.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "trainer_server/folders/job_folder.h"
#include "trainer_server/testing/train_job_room.h"

namespace tidemill::trainer_server {
namespace {

namespace fs = std::filesystem;
using model_store::v1::JOB_KIND_FIT;
using model_store::v1::JOB_KIND_TRAINING;
using ::testing::_;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

using testing::kRun;
using testing::kSamples;
using testing::kTraining;
using testing::TrainJob;

// In samples. A training that continues from a checkpoint is beyond it; one that begins at the
// start has told of its first batches before it, even where it is not looked at after each of them.
constexpr int64_t kNearTheStart = 200;

class MovedJob : public TrainJob {
 protected:
  // Waits until files of the training are kept at a position of at least `position`.
  void AwaitKept(int64_t position) {
    while (model_store_service_.Kept(1, JOB_KIND_TRAINING).position() < position ||
           model_store_service_.Kept(1, JOB_KIND_TRAINING).files_size() == 0) {
      std::this_thread::yield();
    }
  }

  // Begins a training that stands still at a failpoint.
  void BeginStandingAt(const std::string& failpoint, const std::string& training = kTraining) {
    MoveToServer("one", "trainer_server." + failpoint + "=delay:60s");
    const auto fitted = Fit(1);
    ASSERT_THAT(fitted, IsOk());
    fitted_ = *fitted;
    ASSERT_THAT(client_->StartTraining(RequestWith(training)), IsOk());
  }

  v1::StartTrainingRequest RequestWith(const std::string& training = kTraining,
                                       int64_t attempt = 0) {
    v1::StartTrainingRequest request = Request(1, 0, training);
    request.set_fitted_digest(fitted_);
    request.set_attempt(attempt);
    return request;
  }

  // Trains to the end. Returns the fewest samples, above none, that it told to be done.
  int64_t FirstSamplesOf(const v1::StartTrainingRequest& request) {
    EXPECT_THAT(client_->StartTraining(request), IsOk());
    int64_t fewest = std::numeric_limits<int64_t>::max();
    const auto last =
        client_->WatchTraining(RunId{kRun}, request.trigger(), [&](const auto& message) {
          const int64_t done = message.result().samples_done();
          if (done > 0) fewest = std::min(fewest, done);
          return absl::OkStatus();
        });
    EXPECT_THAT(last, IsOk());
    EXPECT_EQ(last->state(), v1::TRAINING_STATE_DONE) << last->error();
    return fewest;
  }

  std::string StoredDigest() {
    const auto stored = Store(1);
    EXPECT_THAT(stored, IsOk());
    return stored.ok() ? stored->weights_digest() : "";
  }

  std::string fitted_;
};

TEST_F(MovedJob, AnotherServerContinuesFromTheLastCheckpointThatWasKept) {
  const std::string expected = DigestOfTraining("");
  BeginStandingAt("after_checkpoint");
  AwaitKept(1);
  MoveToServer("another");
  EXPECT_GT(FirstSamplesOf(RequestWith()), kNearTheStart) << "it begins where the other one was";
  EXPECT_EQ(StoredDigest(), expected);
}

TEST_F(MovedJob, WithoutACheckpointItBeginsAtTheStart) {
  const std::string expected = DigestOfTraining("");
  BeginStandingAt("mid_training");
  MoveToServer("another");
  EXPECT_LE(FirstSamplesOf(RequestWith()), kNearTheStart);
  EXPECT_EQ(StoredDigest(), expected);
}

TEST_F(MovedJob, AServerThatMustEndLeavesACheckpointOfTheLastBatch) {
  // Without its end it writes none.
  const std::string training =
      "device: cpu\nepochs: 60\nbatch_size: 32\noptimizer: {type: adam, lr: 0.01}\nseed: 42\n"
      "checkpoint_every: 1000000\nnum_threads: 1\n";
  const std::string expected = DigestOfTraining("", training);
  MoveToServer("one", "trainer_server.mid_training=delay:1ms");
  const auto fitted = Fit(1);
  ASSERT_THAT(fitted, IsOk());
  fitted_ = *fitted;
  ASSERT_THAT(client_->StartTraining(RequestWith(training, 1)), IsOk());
  ASSERT_THAT(client_->WatchTraining(RunId{kRun}, 1,
                                     [](const auto& message) {
                                       return message.result().samples_done() > 2 * kNearTheStart
                                                  ? absl::CancelledError("it has begun")
                                                  : absl::OkStatus();
                                     }),
              StatusIs(absl::StatusCode::kCancelled, _));
  processes_->SetGrace(std::chrono::seconds(60));
  trainings_->Shutdown();
  while (!trainings_->Active().empty()) std::this_thread::yield();
  EXPECT_GT(model_store_service_.Kept(1, JOB_KIND_TRAINING).files_size(), 0);
  MoveToServer("another");
  EXPECT_GT(FirstSamplesOf(RequestWith(training, 2)), 2 * kNearTheStart);
  EXPECT_EQ(StoredDigest(), expected);
}

TEST_F(MovedJob, ADamagedCheckpointCostsTimeOnly) {
  const std::string expected = DigestOfTraining("");
  BeginStandingAt("after_checkpoint");
  AwaitKept(1);
  MoveToServer("another");
  model_store_service_.DamageFiles(JOB_KIND_TRAINING);
  EXPECT_LE(FirstSamplesOf(RequestWith()), kNearTheStart);
  EXPECT_EQ(StoredDigest(), expected);
}

TEST_F(MovedJob, ACheckpointOfAnotherSpecIsLeftAlone) {
  BeginStandingAt("after_checkpoint");
  AwaitKept(1);
  MoveToServer("another");
  v1::StartTrainingRequest request = RequestWith();
  request.set_model("{type: mlp, hidden: [8], outputs: 2}");
  EXPECT_LE(FirstSamplesOf(request), kNearTheStart);
}

TEST_F(MovedJob, WhatOneServerFittedAnotherTrainsWith) {
  const auto fitted = Fit(1);
  ASSERT_THAT(fitted, IsOk());
  MoveToServer("another");
  fitted_ = std::string(64, '0');
  EXPECT_THAT(client_->StartTraining(RequestWith()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no fitted state")));
  fitted_ = *fitted;
  EXPECT_THAT(Train(RequestWith()), IsOk());
  MoveToServer("a third", "trainer_server.before_fit=kill");
  EXPECT_EQ(Fit(1).value(), *fitted);
  EXPECT_TRUE(fs::is_empty(folder_ + "/once")) << "nothing was fitted a second time";
}

TEST_F(MovedJob, AModelIsStoredByAServerThatHasNotTrainedIt) {
  ASSERT_THAT(Fit(1), IsOk());
  const auto done = Train(Request(1));
  ASSERT_THAT(done, IsOk());
  MoveToServer("another");
  const auto stored = Store(1);
  ASSERT_THAT(stored, IsOk());
  EXPECT_EQ(stored->weights_digest(), done->result().weights_digest());
  EXPECT_EQ(model_store_service_.models[stored->model_id()].num_samples(), kSamples);
  MoveToServer("a third", "trainer_server.mid_training=kill");
  EXPECT_EQ(Train(Request(1))->result().weights_digest(), done->result().weights_digest());
  EXPECT_TRUE(fs::is_empty(folder_ + "/once")) << "nothing was trained a second time";
  EXPECT_EQ(Store(1)->model_id(), stored->model_id());
}

TEST_F(MovedJob, AModelThatNoServerHasMustBeTrainedAgain) {
  BeginStandingAt("after_checkpoint");
  EXPECT_THAT(Store(1), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not done")));
  AwaitKept(1);
  MoveToServer("another");
  EXPECT_THAT(Store(1), StatusIs(absl::StatusCode::kNotFound, HasSubstr("start it again")));
}

TEST_F(MovedJob, AServerWhoseAttemptIsOverChangesNothing) {
  BeginStandingAt("before_artefact");
  MoveToServer("another");
  ASSERT_THAT(Train(RequestWith(kTraining, /*attempt=*/2)), IsOk());
  const std::string kept = model_store_service_.Kept(1, JOB_KIND_TRAINING).DebugString();
  MoveToServer("one");
  ASSERT_THAT(client_->StartTraining(RequestWith(kTraining, /*attempt=*/1)), IsOk());
  const auto late =
      client_->WatchTraining(RunId{kRun}, 1, [](const auto&) { return absl::OkStatus(); });
  ASSERT_THAT(late, IsOk());
  EXPECT_EQ(late->state(), v1::TRAINING_STATE_STOPPED);
  EXPECT_THAT(late->error(), HasSubstr("another trainer server"));
  EXPECT_EQ(model_store_service_.Kept(1, JOB_KIND_TRAINING).DebugString(), kept);
}

// A training that downsamples depends on more than its checkpoints.
class MovedDownsampledJob : public MovedJob, public ::testing::WithParamInterface<const char*> {};

TEST_P(MovedDownsampledJob, ContinuesWithTheChoiceOfTheOtherServer) {
  const std::string training = std::string(kTraining) + "downsampling: " + GetParam() + "\n";
  const std::string expected = DigestOfTraining("", training);
  // In the middle of a period, whose choice another network made.
  BeginStandingAt("after_checkpoint", training);
  AwaitKept(1);
  const auto kept = model_store_service_.Kept(1, JOB_KIND_TRAINING);
  EXPECT_TRUE(std::ranges::any_of(kept.files(), [](const auto& file) {
    return file.name().starts_with(kDownsamplingFolder);
  })) << kept.DebugString();
  MoveToServer("another", "trainer_server.mid_auxiliary=kill");
  const auto done = Train(RequestWith(training));
  ASSERT_THAT(done, IsOk());
  EXPECT_TRUE(fs::is_empty(folder_ + "/once")) << "no other model was trained a second time";
  EXPECT_EQ(StoredDigest(), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, MovedDownsampledJob,
    ::testing::Values("{type: margin, fraction: 0.5, period: 3}",
                      "{type: rho_loss, fraction: 0.5, when: sample_then_batch, period: 0}"));

TEST_F(MovedJob, FoldersThatAreLostBetweenAnyTwoStepsCostTimeOnly) {
  const std::string expected = DigestOfTraining("");
  const auto lose = [&](bool with_server) {
    if (with_server) StopServer();
    fs::remove_all(state_ + "/runs");
    if (with_server) StartServer("");
  };
  for (const bool with_server : {false, true}) {
    const auto fitted = Fit(1);
    ASSERT_THAT(fitted, IsOk());
    lose(with_server);
    fitted_ = *fitted;
    ASSERT_THAT(Train(RequestWith()), IsOk());
    lose(with_server);
    ASSERT_THAT(Train(RequestWith()), IsOk());
    lose(with_server);
    EXPECT_EQ(StoredDigest(), expected);
    lose(with_server);
    EXPECT_EQ(StoredDigest(), expected);
    DeleteRun();
  }
}

}  // namespace
}  // namespace tidemill::trainer_server
