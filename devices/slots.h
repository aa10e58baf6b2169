// The places of a server where jobs compute: one for each GPU, and some on the processors.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "config/types.h"
#include "devices/devices.h"
#include "tidemill/rpc/v1/device.pb.h"

namespace tidemill::devices {

// Returns how many trainings a local stack runs on processors at the same time where its
// configuration says `configured`: a command that starts it for several runs sets the variable
// TIDEMILL_TRAININGS, and the stack's keeper has checked it.
int TrainingsAtOnce(int configured);

// A slot has one job at a time, and a job has one slot, so that no two jobs of a server share a
// GPU. Jobs that wait get slots in their order, except that a job does not wait for a slot that
// another one waits for and it cannot use: work for processors passes work for a GPU. Thread-safe.
// The destructor runs the jobs that wait, then joins.
class Slots {
 public:
  // Runs a job on the device; returning frees the slot.
  using Task = std::function<void(const rpc::v1::JobDevice&)>;

  // `devices` must outlive this object. At most `max_gpus` of its GPUs, the first ones, are slots.
  // `name` is the name of the threads, one for each slot.
  Slots(std::string name, const Devices& devices, int cpu_slots, std::optional<int> max_gpus);
  ~Slots();

  // A slot that the caller has until this object ends. Must not outlive the slots.
  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), place_(other.place_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (owner_ != nullptr) owner_->GiveBack(place_);
    }
    rpc::v1::JobDevice device() const { return owner_->DeviceAt(place_); }

   private:
    friend class Slots;
    Lease(Slots& owner, size_t place) : owner_(&owner), place_(place) {}

    Slots* owner_;  // nullptr when moved from.
    size_t place_;
  };

  // The number of GPUs that are slots.
  int num_gpus() const { return static_cast<int>(slots_.size()) - num_cpu_slots_; }

  // Whether a job of that choice would have a GPU: `auto` takes one if there is one.
  bool IsForGpu(const config::DeviceChoice& choice) const;
  // FAILED_PRECONDITION when no slot is of that choice: lists the available devices.
  absl::Status Check(const config::DeviceChoice& choice) const;

  // Runs `task` on one of this object's threads once a slot of the choice is free. `job` says what
  // it is, for people. Returns the error of Check().
  absl::Status Submit(const config::DeviceChoice& choice, std::string job, Task task)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The same for a caller that waits. CANCELLED when `stop` is requested before there is one.
  absl::StatusOr<Lease> Take(const config::DeviceChoice& choice, std::string job,
                             const std::stop_token& stop) ABSL_LOCKS_EXCLUDED(mutex_);

  // Why no slot is a GPU, for people. Empty when one is.
  std::string why_no_gpu() const;

  // Returns the slots with what they do now. Asks the driver, which takes milliseconds.
  std::vector<rpc::v1::Slot> List() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Waiting {
    config::DeviceChoice choice;
    std::string job;
    Task task = nullptr;                                // From Submit().
    std::shared_ptr<std::optional<size_t>> place = {};  // From Take(), which shares it.
  };

  // Whether a slot may be used by a job of that choice.
  bool Fits(const Gpu* gpu, const config::DeviceChoice& choice) const;
  // Returns the place of a free slot, preferably one whose GPU no other process has.
  std::optional<size_t> FindFree(const config::DeviceChoice& choice) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartWaiting() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Run(size_t place, const Task& task) ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveBack(size_t place) ABSL_LOCKS_EXCLUDED(mutex_);
  rpc::v1::JobDevice DeviceAt(size_t place) const;

  const Devices& devices_;
  const int num_cpu_slots_;
  const std::vector<const Gpu*> slots_;  // nullptr: processors.
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> jobs_ ABSL_GUARDED_BY(mutex_);  // By slot; empty when it is free.
  std::deque<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
  WorkerPool pool_;  // The last member: its tasks use all members above.
};

}  // namespace tidemill::devices
