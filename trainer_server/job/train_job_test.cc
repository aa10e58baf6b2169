// Fits and trainings through the trainer server.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "base/digest.h"
#include "base/files.h"
#include "base/paths/summed_file.h"
#include "rpc/streams/byte_frames.h"
#include "rpc/streams/frame_reader.h"
#include "trainer_server/folders/job_folder.h"
#include "trainer_server/folders/old_folder.h"
#include "trainer_server/known_threads.h"
#include "trainer_server/testing/train_job_room.h"

namespace tidemill::trainer_server {
namespace {

namespace fs = std::filesystem;

using testing::kRun;
using testing::kSamples;
using testing::TrainJob;

bool HasCheckpoint(const std::string& folder) {
  const std::string checkpoints = files::Join(folder, kCheckpointFolder);
  return fs::exists(checkpoints) &&
         std::any_of(fs::directory_iterator(checkpoints), fs::directory_iterator(),
                     [](const auto& file) { return file.path().extension() == ".checkpoint"; });
}

// Makes the folder one of version 0.7, whose YAML had these keys. What is JSON is YAML, too.
void MakeOld(const std::string& folder) {
  const auto training = ReadTraining(folder);
  ASSERT_TRUE(training.ok()) << training.status().ToString();
  const nlohmann::json job = {{"run_id", training->command().run_id()},
                              {"trigger", training->trigger()},
                              {"dataset_id", training->dataset_id()},
                              {"dataset", training->dataset_spec()},
                              {"graph", training->graph()},
                              {"fitted_trigger", training->fitted_trigger()},
                              {"parent_model_id", training->parent_model_id()},
                              {"model", training->model()},
                              {"training", training->training()},
                              {"workers", training->workers()}};
  std::ofstream(files::Join(folder, kOldJobFile)) << job.dump();
  fs::remove(files::Join(folder, kJobFile));
  if (!files::Exists(files::Join(folder, kResultFile))) return;
  auto last =
      nlohmann::json::parse(*files::ReadSummed(files::Join(folder, kResultFile), size_t{1} << 20));
  last["result"]["error"] = "";
  std::ofstream(files::Join(folder, kOldResultFile)) << last["result"].dump();
  fs::remove(files::Join(folder, kResultFile));
}

TEST_F(TrainJob, FitsTrainsAndStoresAModel) {
  const auto fitted = Fit(1);
  ASSERT_TRUE(fitted.ok()) << fitted.status().ToString();
  EXPECT_EQ(Fit(1).value(), *fitted);
  const auto done = Train(Request(1));
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(done->result().samples_done(), 3 * kSamples);
  int64_t unreadable = 0;
  for (int64_t key = 1001; key <= 1000 + kSamples; ++key) {
    if (key % 50 == 0 || key % 61 == 0) ++unreadable;
  }
  EXPECT_EQ(done->result().num_skipped(), 3 * unreadable);
  EXPECT_EQ(done->result().num_bad(), unreadable) << "not once for each epoch";
  EXPECT_LT(done->result().loss(), 0.6);
  EXPECT_EQ(done->result().device(), "cpu");
  const rpc::v1::TrainingStart& start = done->result().start();
  EXPECT_TRUE(start.has_asking_seconds() && start.has_first_batch_seconds());
  EXPECT_THAT(start.opening_seconds() + start.asking_seconds() + start.first_batch_seconds() +
                  start.first_step_seconds(),
              ::testing::AllOf(::testing::Gt(0), ::testing::Le(done->result().seconds())));
  ASSERT_GT(done->result().loss_curve_size(), 1);
  EXPECT_EQ(done->result().loss_curve().rbegin()->num_samples(), 3 * kSamples);
  EXPECT_LT(done->result().loss_curve().rbegin()->loss(), done->result().loss_curve(0).loss());

  const auto stored = Store(1);
  ASSERT_TRUE(stored.ok()) << stored.status().ToString();
  EXPECT_EQ(Store(1)->model_id(), stored->model_id());
  const auto& model = model_store_service_.models[stored->model_id()];
  EXPECT_EQ(model.num_samples(), kSamples);
  EXPECT_EQ(model.training_set_digest(), "set 1");
  EXPECT_THAT(model.classes(), ::testing::ElementsAre("DOWN", "UP"));
  auto& parts = model_store_service_.parts[stored->model_id()];
  EXPECT_EQ(Sha256(parts["weights.safetensors"]), stored->weights_digest());
  EXPECT_EQ(Sha256(parts["fitted.batch"]), *fitted);
  EXPECT_THAT(parts["spec.yaml"], ::testing::HasSubstr("standardize"));
}

void FlipABit(const std::string& path, size_t tenth) {
  std::string bytes = files::Read(path).value();
  const size_t byte = bytes.size() * tenth / 10;
  bytes[byte] = static_cast<char>(bytes[byte] ^ 1 << tenth % 8);
  ASSERT_TRUE(files::WriteAtomically(path, bytes).ok());
}

TEST_F(TrainJob, ADamagedFittedStateIsNotTrainedWithButFetchedOrFittedAgain) {
  const auto fitted = Fit(1);
  ASSERT_TRUE(fitted.ok()) << fitted.status().ToString();
  const std::string path =
      files::Join(fmt::format("{}/state/runs/{}/1", folder_, kRun), kFittedFile);
  const std::string whole = files::Read(path).value();
  FlipABit(path, 3);
  EXPECT_TRUE(client_->StartTraining(Request(1)).ok());
  EXPECT_EQ(files::Read(path).value(), whole);
  for (size_t tenth = 0; tenth < 10; ++tenth) {
    if (tenth % 2 == 0) model_store_service_.ForgetJobs();
    FlipABit(path, tenth);
    // Another trigger each time: a training that is done needs no fitted state.
    const auto trigger = static_cast<int64_t>(2 + tenth);
    EXPECT_EQ(client_->StartTraining(Request(trigger)).ok(), tenth % 2 == 1) << tenth;
    EXPECT_EQ(Fit(1).value(), *fitted) << tenth;
    EXPECT_EQ(files::Read(path).value(), whole) << tenth;
  }
}

TEST_F(TrainJob, ADamagedResultIsNotAResultAndTheTrainingGivesTheSameAgain) {
  ASSERT_TRUE(Fit(1).ok());
  const auto done = Train(Request(1));
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  FlipABit(files::Join(fmt::format("{}/state/runs/{}/1", folder_, kRun), kResultFile), 4);
  FlipABit(files::Join(fmt::format("{}/state/runs/{}/1", folder_, kRun), kJobFile), 5);
  model_store_service_.ForgetJobs();
  EXPECT_FALSE(Store(1).ok());
  const auto again = Train(Request(1));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->result().weights_digest(), done->result().weights_digest());
}

TEST_F(TrainJob, TheLastBatchOfAnEpochIsSmallerOrLeftOutOrFilled) {
  ASSERT_TRUE(Fit(1).ok());
  const auto samples_done = [&](const std::string& keys) {
    const std::string training = std::string(kTraining) + keys;
    const auto done = Train(Request(1, 0, training));
    EXPECT_TRUE(done.ok()) << done.status().ToString();
    if (!done.ok()) return int64_t{-1};
    EXPECT_EQ(done->result().samples_total(), done->result().samples_done()) << keys;
    DeleteRun();
    EXPECT_TRUE(Fit(1).ok());
    return done->result().samples_done();
  };
  static_assert(kSamples % 32 == 16);
  EXPECT_EQ(samples_done("last_batch: keep\n"), 3 * kSamples);
  EXPECT_EQ(samples_done("last_batch: drop\n"), 3 * (kSamples - 16));
  EXPECT_EQ(samples_done("last_batch: wrap\n"), 3 * (kSamples + 16));
}

TEST_F(TrainJob, AWarmStartBeginsWithTheParentsWeights) {
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(Train(Request(1)).ok());
  const auto parent = Store(1);
  ASSERT_TRUE(parent.ok()) << parent.status().ToString();
  const auto child = Train(Request(2, parent->model_id()));
  ASSERT_TRUE(child.ok()) << child.status().ToString();
  const auto orphan = Train(Request(3));
  ASSERT_TRUE(orphan.ok()) << orphan.status().ToString();
  EXPECT_LT(child->result().loss(), orphan->result().loss());
}

TEST_F(TrainJob, KilledAtAnyPointItEndsWithTheSameWeights) {
  const std::string expected = DigestOfTraining("");
  for (const char* const failpoint :
       {"before_fit=kill", "after_fit=kill", "mid_training=kill:1", "mid_training=kill:23",
        "before_checkpoint_rename=kill:2", "after_checkpoint=kill:3", "before_artefact=kill",
        "after_artefact=kill"}) {
    EXPECT_EQ(DigestOfTraining(std::string("trainer_server.") + failpoint), expected) << failpoint;
  }
}

TEST_F(TrainJob, ARestartedServerContinuesFromTheCheckpoint) {
  const std::string expected = DigestOfTraining("");
  StopServer();
  StartServer("trainer_server.after_checkpoint=delay:60s");
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(Request(1)).ok());
  const std::string folder = fmt::format("{}/state/runs/{}/1", folder_, kRun);
  while (!HasCheckpoint(folder)) std::this_thread::yield();
  StopServer();
  StartServer("");
  const auto done = Train(Request(1));
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  EXPECT_EQ(Store(1)->weights_digest(), expected);
  StopServer();
  StartServer("");
  EXPECT_EQ(Train(Request(1))->result().samples_done(), 3 * kSamples);  // Done stays done.
}

TEST_F(TrainJob, AFolderOfAnEarlierVersionContinuesWhereItWas) {
  const std::string expected = DigestOfTraining("");
  const std::string folder = fmt::format("{}/state/runs/{}/1", folder_, kRun);
  StopServer();
  StartServer("trainer_server.after_checkpoint=delay:60s");
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(Request(1)).ok());
  while (!HasCheckpoint(folder)) std::this_thread::yield();
  StopServer();
  MakeOld(folder);
  StartServer("trainer_server.mid_training=delay:60s");
  ASSERT_TRUE(client_->StartTraining(Request(1)).ok());
  EXPECT_TRUE(HasCheckpoint(folder)) << "the job is the same";
  StopServer();
  StartServer("");
  ASSERT_TRUE(Train(Request(1)).ok());
  StopServer();
  MakeOld(folder);
  StartServer("");
  EXPECT_EQ(Train(Request(1))->result().samples_done(), 3 * kSamples) << "done stays done";
  const auto stored = Store(1);
  ASSERT_TRUE(stored.ok()) << stored.status().ToString();
  EXPECT_EQ(stored->weights_digest(), expected);
  EXPECT_EQ(model_store_service_.models[stored->model_id()].num_samples(), kSamples);
}

// With a field that the protos of this version do not have.
v1::StartTrainingRequest OfANewerSupervisor(v1::StartTrainingRequest request) {
  request.GetReflection()->MutableUnknownFields(&request)->AddVarint(1000, 1);
  return request;
}

TEST_F(TrainJob, WhatANewerSupervisorAsksBeyondThisVersionKeepsTheCheckpoints) {
  const std::string folder = fmt::format("{}/state/runs/{}/1", folder_, kRun);
  StopServer();
  StartServer("trainer_server.after_checkpoint=delay:60s");
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(OfANewerSupervisor(Request(1))).ok());
  while (!HasCheckpoint(folder)) std::this_thread::yield();
  StopServer();
  StartServer("trainer_server.mid_training=delay:60s");
  ASSERT_TRUE(client_->StartTraining(OfANewerSupervisor(Request(1))).ok());
  EXPECT_TRUE(HasCheckpoint(folder)) << "the job is the same";
  StopServer();
  StartServer("trainer_server.mid_training=delay:60s");
  v1::StartTrainingRequest other = Request(1);
  other.set_model("{type: mlp, hidden: [8], outputs: 2}");
  ASSERT_TRUE(client_->StartTraining(other).ok());
  EXPECT_FALSE(HasCheckpoint(folder)) << "the job is another one";
}

TEST_F(TrainJob, BeginsWithTheNumberOfThreadsThatTheOneBeforeFound) {
  ASSERT_TRUE(Fit(1).ok());
  const std::string state = folder_ + "/state";
  const int num_cores = static_cast<int>(std::thread::hardware_concurrency());
  ASSERT_TRUE(KnownThreads(state).Remember(KindOf(Request(1), num_cores), 7).ok());
  const auto folder = [&](int64_t trigger) {
    return fmt::format("{}/runs/{}/{}", state, kRun, trigger);
  };
  const auto known = [&](int64_t trigger) {
    const auto job = ReadMessage<v1::TrainingJob>(folder(trigger), kJobFile);
    return job.ok() ? job->preparation().known_threads() : -1;
  };
  ASSERT_TRUE(Train(Request(1)).ok());
  EXPECT_EQ(known(1), 7);
  const auto found = ReadMessage<v1::FoundThreads>(folder(1), kFoundThreadsFile);
  ASSERT_TRUE(found.ok()) << found.status().ToString();
  ASSERT_TRUE(Train(Request(2)).ok());
  EXPECT_EQ(known(2), found->threads());
  const auto other = Request(3, 0, "device: cpu\nepochs: 1\nbatch_size: 64\nnum_threads: 1\n");
  ASSERT_TRUE(Train(other).ok());
  EXPECT_EQ(known(3), 0);
}

TEST_F(TrainJob, AStoppedTrainingIsResumedWhenStartedAgain) {
  StopServer();
  StartServer("trainer_server.mid_training=delay:1s");
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(Request(1)).ok());
  ASSERT_TRUE(client_->StopTraining(CommandOf(), 1).ok());
  const auto last = client_->WatchTraining(
      RunId{kRun}, 1, [](const v1::WatchTrainingResponse&) { return absl::OkStatus(); });
  ASSERT_TRUE(last.ok()) << last.status().ToString();
  EXPECT_EQ(last->state(), v1::TRAINING_STATE_STOPPED);
  StopServer();
  StartServer("");
  EXPECT_TRUE(Train(Request(1)).ok());
}

TEST_F(TrainJob, WatchesThatStallHoldUpNeitherTheTrainingNorAnyOtherCall) {
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(Request(1)).ok());
  constexpr int kNumStalled = 64;
  v1::WatchTrainingRequest request;
  request.set_run_id(kRun);
  request.set_trigger(1);
  const rpc::Peer peer = PeerOf(server_->endpoint());
  rpc::ByteCredits no_credits(0);
  std::vector<std::unique_ptr<rpc::FrameReader>> stalled;
  for (int i = 0; i < kNumStalled; ++i) {
    stalled.push_back(std::make_unique<rpc::FrameReader>(
        peer, rpc::Connect(peer), "/tidemill.trainer_server.v1.TrainerService/WatchTraining",
        rpc::ToBytes(request), no_credits));
    EXPECT_TRUE(stalled.back()->Next().ok());
  }
  const auto last = client_->WatchTraining(
      RunId{kRun}, 1, [](const v1::WatchTrainingResponse&) { return absl::OkStatus(); });
  ASSERT_TRUE(last.ok()) << last.status().ToString();
  EXPECT_EQ(last->state(), v1::TRAINING_STATE_DONE);
  EXPECT_TRUE(Store(1).ok());
}

TEST_F(TrainJob, ATrainingThatWaitsForASlotIsStoppedAtOnce) {
  StopServer();
  StartServer("trainer_server.mid_training=delay:60s");
  ASSERT_TRUE(Fit(1).ok());
  ASSERT_TRUE(client_->StartTraining(Request(1)).ok());
  ASSERT_TRUE(client_->StartTraining(Request(2)).ok());
  ASSERT_TRUE(client_->StopTraining(CommandOf(), 2).ok());
  const auto nothing = [](const v1::WatchTrainingResponse&) { return absl::OkStatus(); };
  EXPECT_EQ(client_->WatchTraining(RunId{kRun}, 2, nothing)->state(), v1::TRAINING_STATE_STOPPED);
  const auto first = client_->WatchTraining(RunId{kRun}, 1, [](const auto& message) {
    EXPECT_NE(message.state(), v1::TRAINING_STATE_STOPPED);
    return Cancelled("seen");
  });
  EXPECT_EQ(first.status().code(), absl::StatusCode::kCancelled);
}

TEST_F(TrainJob, WhatCannotBeTrainedIsRefusedWithTheRightCode) {
  EXPECT_EQ(client_->StartTraining(Request(1)).code(), absl::StatusCode::kNotFound);  // No fit.
  ASSERT_TRUE(Fit(1).ok());
  EXPECT_EQ(client_->StartTraining(Request(100)).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(client_->StartTraining(Request(1, 55)).code(), absl::StatusCode::kNotFound);
  v1::StartTrainingRequest broken = Request(1);
  broken.set_training("epochs: none");
  EXPECT_EQ(client_->StartTraining(broken).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Store(1).status().code(), absl::StatusCode::kNotFound);
  v1::StartTrainingRequest newer = Request(1);
  *newer.mutable_command() = CommandOf(5);
  EXPECT_TRUE(Train(newer).ok());
  EXPECT_EQ(client_->StartTraining(Request(2)).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(TrainJob, ATrainingThatCannotSucceedFailsWithItsReason) {
  ASSERT_TRUE(Fit(1).ok());
  v1::StartTrainingRequest request = Request(1);
  request.set_model("{type: mlp, hidden: [4], outputs: 1}");
  const auto failed = Train(request);
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(failed.status().message()), ::testing::HasSubstr("class 1"));
  EXPECT_TRUE(Train(Request(1)).ok());
}

// FAILED_PRECONDITION would tell the supervisor that another one conducts the run.
TEST_F(TrainJob, AGraphThatFindsNothingToLearnFailsAsTheDataDo) {
  v1::FitGraphRequest request;
  *request.mutable_command() = CommandOf();
  request.set_trigger(1);
  request.set_dataset_id(1);
  request.set_dataset_spec(testing::kDataset);
  request.set_graph(
      "- parse_csv: {columns: [a], dtype: string}\n"
      "- vocabulary: {column: a, min_count: 1000, length: 4, into: input}\n"
      "- label: {into: target}\n");
  const auto fitted = client_->FitGraph(request);
  EXPECT_EQ(fitted.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(fitted.status().message()), ::testing::HasSubstr("no word of column a"));
}

}  // namespace
}  // namespace tidemill::trainer_server
