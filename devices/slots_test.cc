#include "devices/slots.h"

#include <map>
#include <memory>
#include <set>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "config/numbers.h"
#include "devices/device_lock.h"
#include "devices/pretended_devices.h"

namespace tidemill::devices {
namespace {

using ::testing::ElementsAre;

config::DeviceChoice Choice(const char* text) { return *config::ParseDevice(text); }

// Jobs that end when the test says so.
class SlotsTest : public ::testing::Test {
 protected:
  ~SlotsTest() override {
    MutexLock lock(mutex_);
    all_may_end_ = true;
    changed_.notify_all();
  }

  void Start(Slots& slots, const std::string& job, const char* choice) {
    const absl::Status submitted =
        slots.Submit(Choice(choice), job, [this, job](const rpc::v1::JobDevice& device) {
          MutexLock lock(mutex_);
          where_[job] = device.device();
          changed_.notify_all();
          while (!all_may_end_ && !may_end_.contains(job)) changed_.wait(mutex_);
          ended_.insert(job);
          changed_.notify_all();
        });
    ASSERT_TRUE(submitted.ok()) << submitted;
  }

  std::string AwaitStart(const std::string& job) {
    MutexLock lock(mutex_);
    while (!where_.contains(job)) changed_.wait(mutex_);
    return where_[job];
  }

  void End(const std::string& job) {
    MutexLock lock(mutex_);
    may_end_.insert(job);
    changed_.notify_all();
    while (!ended_.contains(job)) changed_.wait(mutex_);
  }

  bool HasStarted(const std::string& job) {
    MutexLock lock(mutex_);
    return where_.contains(job);
  }

  const std::unique_ptr<Devices> four_ = *PretendDevices("4x80GiB");
  const std::unique_ptr<Devices> none_ = *PretendDevices("0x1GiB");

 private:
  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, std::string> where_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> may_end_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> ended_ ABSL_GUARDED_BY(mutex_);
  bool all_may_end_ ABSL_GUARDED_BY(mutex_) = false;
};

// The slots end before what their jobs wait for.
class RunningSlotsTest : public SlotsTest {
 protected:
  ~RunningSlotsTest() override {
    for (const char* job : {"a", "b", "c", "d", "e", "f"}) {
      if (HasStarted(job)) End(job);
    }
  }
  Slots slots_{"test", *four_, /*cpu_slots=*/1, std::nullopt};
};

TEST_F(RunningSlotsTest, GiveEachJobADeviceThatNoOtherHas) {
  std::set<std::string> devices;
  for (const char* job : {"a", "b", "c", "d"}) {
    Start(slots_, job, "cuda");
    devices.insert(AwaitStart(job));
  }
  EXPECT_THAT(devices, ElementsAre("cuda:0", "cuda:1", "cuda:2", "cuda:3"));
  Start(slots_, "e", "auto");
  EXPECT_FALSE(HasStarted("e"));
  End("c");
  EXPECT_EQ(AwaitStart("e"), "cuda:2");
}

TEST_F(RunningSlotsTest, LetWorkForProcessorsPass) {
  Start(slots_, "a", "cuda:1");
  EXPECT_EQ(AwaitStart("a"), "cuda:1");
  Start(slots_, "b", "cuda:1");
  Start(slots_, "c", "cpu");
  EXPECT_EQ(AwaitStart("c"), "cpu");
  EXPECT_FALSE(HasStarted("b"));
  End("a");
  EXPECT_EQ(AwaitStart("b"), "cuda:1");
}

TEST_F(RunningSlotsTest, AvoidADeviceThatAnotherProcessHas) {
  const auto other = DeviceLock::Take("pretended-0", std::chrono::milliseconds(0));
  ASSERT_TRUE(other.ok()) << other.status();
  Start(slots_, "a", "cuda");
  EXPECT_EQ(AwaitStart("a"), "cuda:1");
}

TEST_F(RunningSlotsTest, TellWhatRunsThere) {
  Start(slots_, "a", "cuda:2");
  AwaitStart("a");
  std::vector<std::string> texts;
  for (const rpc::v1::Slot& slot : slots_.List()) texts.push_back(slot.device() + "=" + slot.job());
  EXPECT_THAT(texts, ElementsAre("cpu=", "cuda:0=", "cuda:1=", "cuda:2=a", "cuda:3="));
  EXPECT_EQ(slots_.List()[1].memory_bytes(), int64_t{80} << 30);
  EXPECT_TRUE(slots_.List()[1].is_pretended());
}

TEST_F(RunningSlotsTest, AreTakenByCallersThatWait) {
  std::optional<Slots::Lease> lease = *slots_.Take(Choice("cuda:1"), "answers", {});
  EXPECT_EQ(lease->device().device(), "cuda:1");
  EXPECT_EQ(lease->device().id(), "pretended-1");
  Start(slots_, "a", "cuda:1");
  EXPECT_FALSE(HasStarted("a"));
  lease.reset();
  EXPECT_EQ(AwaitStart("a"), "cuda:1");
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  const auto stopped = slots_.Take(Choice("cuda:1"), "answers", stop.get_token());
  EXPECT_TRUE(absl::IsCancelled(stopped.status())) << stopped.status();
}

TEST_F(SlotsTest, RefuseAMissingDevice) {
  const Slots slots("test", *four_, 1, std::nullopt);
  EXPECT_TRUE(slots.Check(Choice("cuda:3")).ok());
  const absl::Status refused = slots.Check(Choice("cuda:4"));
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_EQ(refused.message(),
            "this machine has no cuda:4; it has cpu, and cuda:0 (pretended, 80 GiB), cuda:1 "
            "(pretended, 80 GiB), cuda:2 (pretended, 80 GiB), cuda:3 (pretended, 80 GiB)");
  const Slots without("test", *none_, 1, std::nullopt);
  EXPECT_EQ(without.Check(Choice("cuda")).message(),
            "this machine has no cuda; it has cpu, and no GPU: none is pretended");
  EXPECT_TRUE(without.Check(Choice("auto")).ok());
  EXPECT_FALSE(without.IsForGpu(Choice("auto")));
}

TEST_F(SlotsTest, AreOfTheFirstDevicesOnly) {
  const Slots slots("test", *four_, 2, 1);
  EXPECT_EQ(slots.num_gpus(), 1);
  EXPECT_EQ(slots.List().size(), 3U);
  EXPECT_THAT(std::string(slots.Check(Choice("cuda:1")).message()),
              ::testing::EndsWith(", of which its configuration allows 1 (gpu_slots)"));
}

TEST_F(SlotsTest, RunWhatWaitsBeforeTheyEnd) {
  std::atomic<int> ran = 0;
  {
    Slots slots("test", *none_, 1, std::nullopt);
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(slots.Submit(Choice("auto"), "job", [&](const auto&) { ++ran; }).ok());
    }
  }
  EXPECT_EQ(ran, 5);
}

TEST(DeviceLock, IsHeldByOneProcess) {
  const auto first = DeviceLock::Take("lock-test", std::chrono::milliseconds(0));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(DeviceLock::IsHeld("lock-test"));
  const auto second = DeviceLock::Take("lock-test", std::chrono::milliseconds(0));
  EXPECT_TRUE(absl::IsUnavailable(second.status())) << second.status();
}

TEST(DeviceLock, IsFreeOnceItsHolderHasEnded) {
  { const auto held = DeviceLock::Take("lock-test", std::chrono::milliseconds(0)); }
  EXPECT_FALSE(DeviceLock::IsHeld("lock-test"));
  EXPECT_TRUE(DeviceLock::Take("lock-test", std::chrono::milliseconds(0)).ok());
}

TEST_F(SlotsTest, DieOfAJobWithoutAName) {
  Slots slots("test", *four_, 1, std::nullopt);
  EXPECT_DEATH(slots.Take({}, "", {}).IgnoreError(), "job.empty");
}

}  // namespace
}  // namespace tidemill::devices
