#include "trainer_server/ranks/ranks.h"

#include <sched.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "torch/version.h"

#include "base/files.h"
#include "models/torch/guard.h"

// Before 2.0, c10d had other base classes.
#if TORCH_VERSION_MAJOR >= 2
#define TIDEMILL_C10D
// The wheel of libtorch has gloo inside, but not the headers of gloo that its own headers include.
#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO
#endif
#include "torch/csrc/distributed/c10d/FileStore.hpp"
#include "torch/csrc/distributed/c10d/ProcessGroupGloo.hpp"
#include "torch/csrc/distributed/c10d/TCPStore.hpp"
#endif

namespace tidemill::trainer_server {

#ifdef TIDEMILL_C10D

namespace {

constexpr std::chrono::milliseconds kLookEvery{20};
// For ranks that have all come and now connect to one another.
constexpr std::chrono::seconds kConnecting{10};
// A rank may wait for its samples for long. RankedTraining ends a rank that does nothing at all.
constexpr std::chrono::hours kForever{24 * 365};

// Threads that are started while this object lives do not take the processor from others when they
// wake up, but wait for an idle one. Gloo's thread for sockets polls while another thread of Gloo
// holds the lock of a connection; if it has taken the processor from that one, it polls without
// effect until the scheduler's next tick, which is up to 4 ms in every sum.
class PatientThreads {
 public:
  PatientThreads() : before_(sched_getscheduler(0)) { Become(SCHED_BATCH); }
  ~PatientThreads() { Become(before_); }
  PatientThreads(const PatientThreads&) = delete;
  PatientThreads& operator=(const PatientThreads&) = delete;

 private:
  void Become(int policy) const {
    if (before_ != SCHED_OTHER) return;
    const sched_param without_priority = {};
    sched_setscheduler(0, policy, &without_priority);
  }

  const int before_;
};

constexpr char kLoopback[] = "127.0.0.1";

c10::intrusive_ptr<c10d::Store> OpenStore(const RankPlace& place) {
  if (!place.store.empty()) {
    return c10::make_intrusive<c10d::FileStore>(place.store, static_cast<int>(place.size));
  }
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(place.port);
  options.isServer = place.rank == 0 && !place.is_hosted;
  options.timeout = kForever;
  options.waitWorkers = false;
  return c10::make_intrusive<c10d::TCPStore>(place.address, options);
}

// A rank that waits in a store's own calls would not notice the end of the meeting.
absl::Status AwaitAll(const RankPlace& place, c10d::Store& store) {
  const auto key = [](int64_t rank) { return fmt::format("came-{}", rank); };
  store.set(key(place.rank), std::vector<uint8_t>{1});
  std::vector<std::string> all;
  for (int64_t rank = 0; rank < place.size; ++rank) all.push_back(key(rank));
  while (!store.check(all)) {
    if (!place.store.empty() && files::Exists(EndOfMeeting(place.store))) {
      return absl::AbortedError("a rank was lost before all had come");
    }
    std::this_thread::sleep_for(kLookEvery);
  }
  return absl::OkStatus();
}

}  // namespace

struct Ranks::Group {
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;

  // A sum that has begun. Gloo adds in the memory of the host.
  struct Begun {
    torch::Tensor numbers;
    torch::Tensor on_host;
    c10::intrusive_ptr<c10d::Work> work;
  };
  std::vector<Begun> begun;

  c10::intrusive_ptr<c10d::Work> Begin(const torch::Tensor& on_host) const {
    std::vector<torch::Tensor> tensors = {on_host};
    return gloo->allreduce(tensors);
  }
};

Ranks::Ranks(RankPlace place) : place_(std::move(place)) {}
Ranks::~Ranks() = default;

absl::StatusOr<std::unique_ptr<Ranks>> Ranks::Join(const RankPlace& place) {
  std::unique_ptr<Ranks> ranks(new Ranks(place));
  if (place.size == 1) return ranks;
  RETURN_IF_ERROR(ranks->Together([&]() -> absl::Status {
    const c10::intrusive_ptr<c10d::Store> store = OpenStore(place);
    RETURN_IF_ERROR(AwaitAll(place, *store));
    const PatientThreads threads;
    const auto options = c10d::ProcessGroupGloo::Options::create(kConnecting);
    options->threads = 1;  // One after the other, so that none overtakes another one.
    options->devices.push_back(place.store.empty()
                                   ? c10d::ProcessGroupGloo::createDefaultDevice()
                                   : c10d::ProcessGroupGloo::createDeviceForHostname(kLoopback));
    ranks->group_ = std::make_unique<Group>();
    ranks->group_->store = store;
    ranks->group_->gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(
        store, static_cast<int>(place.rank), static_cast<int>(place.size), options);
    ranks->group_->gloo->setTimeout(kForever);
    return absl::OkStatus();
  }));
  return ranks;
}

template <typename Body>
absl::Status Ranks::Together(const Body& body) {
  RETURN_IF_ERROR(status_);
  is_waiting_ = true;
  status_ = models::Guard("working with the other ranks", body);
  is_waiting_ = false;
  if (status_.ok() || absl::IsAborted(status_)) return status_;
  // Whatever it was, the ranks do no longer agree on what comes next. Gloo adds advice.
  const std::string message(status_.message());
  status_ = absl::AbortedError(message.substr(0, message.find(" This is typically")));
  return status_;
}

absl::Status Ranks::Sum(std::span<double> numbers) {
  if (group_ == nullptr) return absl::OkStatus();
  return Together([&]() -> absl::Status {
    const torch::Tensor tensor =
        torch::from_blob(numbers.data(), {std::ssize(numbers)}, torch::kFloat64);
    group_->Begin(tensor)->wait();
    return absl::OkStatus();
  });
}

absl::Status Ranks::BeginSum(const torch::Tensor& numbers) {
  if (group_ == nullptr) return absl::OkStatus();
  return Together([&]() -> absl::Status {
    Group::Begun begun{.numbers = numbers, .on_host = numbers.to(torch::kCPU), .work = {}};
    begun.work = group_->Begin(begun.on_host);
    group_->begun.push_back(std::move(begun));
    return absl::OkStatus();
  });
}

absl::Status Ranks::FinishSums() {
  if (group_ == nullptr) return absl::OkStatus();
  return Together([&]() -> absl::Status {
    for (const Group::Begun& begun : group_->begun) {
      begun.work->wait();
      if (!begun.numbers.is_cpu()) begun.numbers.copy_(begun.on_host);
    }
    group_->begun.clear();
    return absl::OkStatus();
  });
}

absl::Status Ranks::Broadcast(int64_t from, std::string& bytes) {
  if (group_ == nullptr) return absl::OkStatus();
  double length = rank() == from ? static_cast<double>(bytes.size()) : 0;
  RETURN_IF_ERROR(Sum({&length, 1}));
  bytes.resize(static_cast<size_t>(length));
  if (bytes.empty()) return absl::OkStatus();
  return Together([&]() -> absl::Status {
    c10d::BroadcastOptions options;
    options.rootRank = from;
    std::vector<torch::Tensor> tensors = {
        torch::from_blob(bytes.data(), {std::ssize(bytes)}, torch::kUInt8)};
    group_->gloo->broadcast(tensors, options)->wait();
    return absl::OkStatus();
  });
}

#else

struct Ranks::Group {};

Ranks::Ranks(RankPlace place) : place_(std::move(place)) {}
Ranks::~Ranks() = default;

absl::StatusOr<std::unique_ptr<Ranks>> Ranks::Join(const RankPlace& place) {
  if (place.size == 1) return std::unique_ptr<Ranks>(new Ranks(place));
  return absl::UnimplementedError(fmt::format(
      "this build has libtorch {}, which cannot train with several ranks; build with libtorch 2, "
      "or leave training.ranks out",
      TORCH_VERSION));
}

absl::Status Ranks::Sum(std::span<double>) { return absl::OkStatus(); }
absl::Status Ranks::BeginSum(const torch::Tensor&) { return absl::OkStatus(); }
absl::Status Ranks::FinishSums() { return absl::OkStatus(); }
absl::Status Ranks::Broadcast(int64_t, std::string&) { return absl::OkStatus(); }

#endif

}  // namespace tidemill::trainer_server
