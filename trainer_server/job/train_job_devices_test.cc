// Which training has which device. The devices are pretended: trainings compute on processors.
#include <memory>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "devices/device_lock.h"
#include "trainer_server/testing/train_job_room.h"

namespace tidemill::trainer_server {
namespace {

using testing::kRun;
using ::tidemill::testing::IsOk;

class DevicesOfTrainings : public testing::TrainJob {
 protected:
  // The device of a training, once it runs.
  std::string AwaitDevice(int64_t trigger) {
    std::string device;
    Look(trigger, [&](const v1::WatchTrainingResponse& seen) {
      device = seen.state() == v1::TRAINING_STATE_RUNNING ? seen.result().device() : "";
      return !device.empty();
    });
    return device;
  }

  v1::TrainingState StateOf(int64_t trigger) {
    v1::TrainingState state = v1::TRAINING_STATE_UNSPECIFIED;
    Look(trigger, [&](const v1::WatchTrainingResponse& seen) {
      state = seen.state();
      return true;
    });
    return state;
  }

 private:
  // Watches a training until it is as wanted.
  void Look(int64_t trigger, const std::function<bool(const v1::WatchTrainingResponse&)>& wanted) {
    const auto watched = client_->WatchTraining(
        RunId{kRun}, trigger, [&](const v1::WatchTrainingResponse& seen) -> absl::Status {
          return wanted(seen) ? Cancelled("enough") : absl::OkStatus();
        });
    EXPECT_TRUE(absl::IsCancelled(watched.status())) << watched.status();
  }
};

TEST_F(DevicesOfTrainings, EachTrainingHasADeviceOfItsOwn) {
  ASSERT_TRUE(Fit(1).ok());
  const std::string endless = "device: cuda\nepochs: 100000\nbatch_size: 32\nnum_threads: 1\n";
  std::set<std::string> devices;
  for (int64_t trigger = 1; trigger <= 4; ++trigger) {
    ASSERT_THAT(client_->StartTraining(Request(trigger, 0, endless)), IsOk());
    devices.insert(AwaitDevice(trigger));
  }
  EXPECT_THAT(devices, ::testing::ElementsAre("cuda:0", "cuda:1", "cuda:2", "cuda:3"));
  const auto listed = client_->ListDevices();
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->slots_size(), 5);
  EXPECT_EQ(listed->slots(0).device(), "cpu");
  EXPECT_EQ(listed->slots(1).job(), "the training of trigger 1 of run 7");
  // A fifth waits, on processors it does not, and what is killed leaves its device to the fifth.
  ASSERT_THAT(client_->StartTraining(Request(5, 0, endless)), IsOk());
  EXPECT_TRUE(Train(Request(6)).ok());
  EXPECT_EQ(StateOf(5), v1::TRAINING_STATE_QUEUED);
  const rpc::v1::Command command = CommandOf();
  ASSERT_THAT(client_->StopTraining(command, 2), IsOk());
  EXPECT_EQ(AwaitDevice(5), "cuda:1");
}

TEST_F(DevicesOfTrainings, ADeviceIsFreeOnceItsJobIsKilled) {
  ASSERT_TRUE(Fit(1).ok());
  StopServer();
  StartServer("trainer_server.mid_training=kill:3");
  const auto done = Train(Request(1, 0, "device: cuda:2\nepochs: 3\nbatch_size: 32\nseed: 42\n"));
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->result().device(), "cuda:2");
  EXPECT_EQ(done->result().device_name(), "pretended");
  EXPECT_FALSE(devices::DeviceLock::IsHeld(devices_->gpus()[2].id));
}

TEST_F(DevicesOfTrainings, TheSlotOfARequestGoesBeforeTheSpec) {
  ASSERT_TRUE(Fit(1).ok());
  auto request = Request(1);
  request.set_slot("cuda:3");
  const auto done = Train(request);
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(done->result().device(), "cuda:3");
}

TEST_F(DevicesOfTrainings, ARefusalOfAMissingDeviceListsTheOthers) {
  ASSERT_TRUE(Fit(1).ok());
  const absl::Status refused = client_->StartTraining(Request(1, 0, "device: cuda:4\n"));
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(refused.message()),
      ::testing::StartsWith("this machine has no cuda:4; it has cpu, and cuda:0 (pretended"));
}

TEST_F(DevicesOfTrainings, AKilledTrainingContinuesFromItsCheckpoint) {
  const std::string undisturbed = DigestOfTraining("");
  StopServer();
  StartServer("trainer_server.after_checkpoint=kill:2");
  ASSERT_TRUE(Fit(1).ok());
  auto request = Request(1);
  request.set_slot("cuda:1");
  const auto done = Train(request);
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(Store(1)->weights_digest(), undisturbed) << "pretended devices are processors";
}

}  // namespace
}  // namespace tidemill::trainer_server
