#include "devices/slots.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "config/numbers.h"
#include "devices/device_lock.h"

namespace tidemill::devices {
namespace {

using Kind = config::DeviceChoice::Kind;

// How often a waiting caller checks whether it must stop.
constexpr std::chrono::milliseconds kLook{100};

std::vector<const Gpu*> SlotsOf(const Devices& devices, int cpu_slots,
                                std::optional<int> max_gpus) {
  std::vector<const Gpu*> slots(static_cast<size_t>(std::max(cpu_slots, 0)), nullptr);
  for (const Gpu& gpu : devices.gpus()) {
    if (!max_gpus || gpu.index < *max_gpus) slots.push_back(&gpu);
  }
  return slots;
}

std::string NameOf(const Gpu* gpu) {
  return config::FormatDevice(gpu == nullptr ? config::kCpuDevice
                                             : config::DeviceChoice{Kind::kCuda, gpu->index});
}

rpc::v1::JobDevice JobDeviceOf(const Gpu* gpu) {
  rpc::v1::JobDevice device;
  device.set_device(NameOf(gpu));
  if (gpu == nullptr) return device;
  device.set_id(gpu->id);
  device.set_name(gpu->name);
  device.set_memory_bytes(gpu->memory_bytes);
  device.set_is_pretended(gpu->is_pretended);
  return device;
}

}  // namespace

int TrainingsAtOnce(int configured) {
  const char* const text = std::getenv("TIDEMILL_TRAININGS");
  return text == nullptr ? configured : std::max(configured, std::atoi(text));
}

Slots::Slots(std::string name, const Devices& devices, int cpu_slots, std::optional<int> max_gpus)
    : devices_(devices),
      num_cpu_slots_(cpu_slots),
      slots_(SlotsOf(devices, cpu_slots, max_gpus)),
      jobs_(slots_.size()),
      pool_(std::move(name), static_cast<int>(slots_.size())) {}

Slots::~Slots() = default;

bool Slots::IsForGpu(const config::DeviceChoice& choice) const {
  return choice.kind == Kind::kCuda || (choice.kind == Kind::kAuto && num_gpus() > 0);
}

bool Slots::Fits(const Gpu* gpu, const config::DeviceChoice& choice) const {
  if (!IsForGpu(choice)) return gpu == nullptr;
  return gpu != nullptr && (!choice.index || *choice.index == gpu->index);
}

absl::Status Slots::Check(const config::DeviceChoice& choice) const {
  const bool fits = std::ranges::any_of(slots_, [&](const Gpu* gpu) { return Fits(gpu, choice); });
  if (fits) return absl::OkStatus();
  std::string there = num_cpu_slots_ > 0 ? "cpu, and " : "";
  there += Describe(devices_);
  if (num_gpus() < std::ssize(devices_.gpus())) {
    there += fmt::format(", of which its configuration allows {} (gpu_slots)", num_gpus());
  }
  return FailedPrecondition("this machine has no {}; it has {}", config::FormatDevice(choice),
                            there);
}

std::string Slots::why_no_gpu() const {
  if (num_gpus() > 0) return "";
  return devices_.gpus().empty() ? devices_.why_none() : "gpu_slots is 0";
}

absl::Status Slots::Submit(const config::DeviceChoice& choice, std::string job, Task task) {
  TIDEMILL_CHECK(!job.empty() && task != nullptr);
  RETURN_IF_ERROR(Check(choice));
  MutexLock lock(mutex_);
  waiting_.push_back({.choice = choice, .job = std::move(job), .task = std::move(task)});
  StartWaiting();
  return absl::OkStatus();
}

std::optional<size_t> Slots::FindFree(const config::DeviceChoice& choice) const {
  std::optional<size_t> found;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!jobs_[i].empty() || !Fits(slots_[i], choice)) continue;
    if (slots_[i] == nullptr || !DeviceLock::IsHeld(slots_[i]->id)) return i;
    if (!found) found = i;  // Its job waits until the process that has it has ended.
  }
  return found;
}

void Slots::StartWaiting() {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const std::optional<size_t> place = FindFree(it->choice);
    if (!place) {
      ++it;
      continue;
    }
    jobs_[*place] = std::move(it->job);
    if (it->place != nullptr) {
      *it->place = place;
      changed_.notify_all();
    } else {
      pool_.Submit([this, place = *place, task = std::move(it->task)] { Run(place, task); });
    }
    it = waiting_.erase(it);
  }
}

void Slots::Run(size_t place, const Task& task) {
  task(DeviceAt(place));
  GiveBack(place);
}

void Slots::GiveBack(size_t place) {
  MutexLock lock(mutex_);
  TIDEMILL_CHECK(place < jobs_.size() && !jobs_[place].empty());
  jobs_[place].clear();
  StartWaiting();
}

rpc::v1::JobDevice Slots::DeviceAt(size_t place) const {
  TIDEMILL_CHECK(place < slots_.size());
  return JobDeviceOf(slots_[place]);
}

absl::StatusOr<Slots::Lease> Slots::Take(const config::DeviceChoice& choice, std::string job,
                                         const std::stop_token& stop) {
  TIDEMILL_CHECK(!job.empty());
  RETURN_IF_ERROR(Check(choice));
  const auto place = std::make_shared<std::optional<size_t>>();
  MutexLock lock(mutex_);
  waiting_.push_back({.choice = choice, .job = std::move(job), .place = place});
  StartWaiting();
  while (!place->has_value()) {
    if (stop.stop_requested()) {
      std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.place == place; });
      return Cancelled("stopped while it waited for {}", config::FormatDevice(choice));
    }
    changed_.wait_for(mutex_, kLook);
  }
  return Lease(*this, **place);
}

std::vector<rpc::v1::Slot> Slots::List() const {
  std::vector<std::string> jobs;
  {
    MutexLock lock(mutex_);
    jobs = jobs_;
  }
  std::vector<rpc::v1::Slot> listed(slots_.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    const rpc::v1::JobDevice device = JobDeviceOf(slots_[i]);
    listed[i].set_device(device.device());
    listed[i].set_id(device.id());
    listed[i].set_name(device.name());
    listed[i].set_memory_bytes(device.memory_bytes());
    listed[i].set_is_pretended(device.is_pretended());
    listed[i].set_job(jobs[i]);
    if (slots_[i] == nullptr) continue;
    const absl::StatusOr<GpuUse> use = devices_.UseOf(*slots_[i]);
    if (!use.ok()) continue;
    listed[i].set_used_bytes(use->used_bytes);
    if (use->busy_share) listed[i].set_busy_share(*use->busy_share);
  }
  return listed;
}

}  // namespace tidemill::devices
