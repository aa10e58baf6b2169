// Two ranks of one thread each, beside one process of two threads. They train the same convnet on
// the same batches, made before the clock runs: what is compared is the arithmetic, the waiting of
// ranks for one another, and the sums of gradients.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "torch/torch.h"

#include "base/numbers/random.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "models/spec/networks.h"
#include "models/training/losses/losses.h"
#include "models/training/optimizers/optimizers.h"
#include "trainer_server/training/devices/training_device.h"
#include "trainer_server/training/training_loop.h"

namespace tidemill {
namespace {

using trainer_server::RankPlace;
using trainer_server::Ranks;
using trainer_server::TrainingLoop;
using trainer_server::TrainingSetup;

constexpr int64_t kBatch = 128;
constexpr int64_t kBatches = 16;  // The batches of an epoch.
constexpr int64_t kSide = 28;
constexpr int64_t kClasses = 10;
constexpr RandomKey kNoise = {.seed = 1, .purpose = "images"};

batch::Batch MakeRows(int64_t from, int64_t to) {
  std::vector<int64_t> ordinals;
  std::vector<int64_t> targets;
  std::vector<float> images;
  for (int64_t ordinal = from; ordinal < to; ++ordinal) {
    ordinals.push_back(ordinal);
    targets.push_back(ordinal % kClasses);
    for (int64_t i = 0; i < kSide * kSide; ++i) {
      const double noise = RandomUnit(kNoise, ordinal * kSide * kSide + i);
      images.push_back(static_cast<float>(noise * static_cast<double>(1 + ordinal % kClasses)));
    }
  }
  batch::Batch rows(to - from);
  for (batch::Column& column :
       std::vector{batch::MakeColumn<int64_t>("key", ordinals),
                   batch::MakeColumn<int64_t>("ordinal", ordinals),
                   batch::MakeColumn<float>("input", images, {1, kSide, kSide}),
                   batch::MakeColumn<int64_t>("target", targets)}) {
    if (!rows.Set(std::move(column)).ok()) std::abort();
  }
  return rows;
}

// One epoch of slices that are there already.
class MadeSlices final : public loader::BatchSource {
 public:
  explicit MadeSlices(const std::vector<batch::Batch>& slices) : slices_(slices) {}

  int64_t num_samples() const override { return kBatch * kBatches; }
  int64_t num_batches() const override { return kBatches; }
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override {
    if (next_ == kBatches) return std::optional<loader::TrainingBatch>();
    const int64_t index = next_++;
    return std::optional(
        loader::TrainingBatch{.index = index, .rows = slices_[static_cast<size_t>(index)]});
  }

 private:
  const std::vector<batch::Batch>& slices_;
  int64_t next_ = 0;
};

TrainingSetup SetupOf(int64_t threads, Ranks* ranks) {
  TrainingSetup setup;
  setup.model = models::Convnet{.channels = {16, 32}, .hidden = 64, .outputs = kClasses};
  setup.training.epochs = 1'000'000;
  setup.training.batch_size = kBatch;
  setup.training.optimizer = models::Sgd{.lr = 0.01, .momentum = 0.9};
  setup.training.loss = models::CrossEntropy{};
  setup.training.num_threads = threads;
  setup.inputs["input"] = {{1, kSide, kSide}, false};
  setup.ranks = ranks;
  return setup;
}

// Trains an epoch for each byte that arrives, and answers each with one.
absl::Status Serve(int socket, int64_t threads, const RankPlace& place) {
  trainer_server::MakeDeterministic(threads);
  std::unique_ptr<Ranks> ranks;
  if (place.size > 1) {
    ASSIGN_OR_RETURN(ranks, Ranks::Join(place));
  }
  std::vector<batch::Batch> slices;
  for (int64_t first = 0; first < kBatch * kBatches; first += kBatch) {
    slices.push_back(MakeRows(first + kBatch * place.rank / place.size,
                              first + kBatch * (place.rank + 1) / place.size));
  }
  TrainingLoop loop(SetupOf(threads, ranks.get()));
  char byte = 0;
  while (read(socket, &byte, 1) == 1) {
    MadeSlices source(slices);
    RETURN_IF_ERROR(loop.Run(source, [](TrainingLoop&) { return absl::OkStatus(); }));
    if (write(socket, &byte, 1) != 1) break;
  }
  return absl::OkStatus();
}

// Processes that train together. They end with this object.
class Trainers {
 public:
  Trainers(int64_t ranks, int64_t threads, const std::string& store) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      int ends[2];
      if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
      const pid_t process = fork();
      if (process == 0) {
        close(ends[0]);
        for (const int socket : sockets_) close(socket);
        const absl::Status status =
            Serve(ends[1], threads, {.rank = rank, .size = ranks, .store = store});
        if (!status.ok()) fmt::print(stderr, "{}\n", std::string(status.message()));
        _exit(status.ok() ? 0 : 1);
      }
      close(ends[1]);
      sockets_.push_back(ends[0]);
      processes_.push_back(process);
    }
  }
  ~Trainers() {
    for (const int socket : sockets_) close(socket);
    for (const pid_t process : processes_) waitpid(process, nullptr, 0);
  }
  Trainers(const Trainers&) = delete;
  Trainers& operator=(const Trainers&) = delete;

  // Returns the samples of an epoch.
  double TrainEpoch() const {
    char byte = 0;
    for (const int socket : sockets_) Check(write(socket, &byte, 1) == 1);
    for (const int socket : sockets_) Check(read(socket, &byte, 1) == 1);
    return kBatch * kBatches;
  }

 private:
  static void Check(bool is_well) {
    if (is_well) return;
    fmt::print(stderr, "a trainer has ended\n");
    std::exit(1);
  }

  std::vector<int> sockets_;
  std::vector<pid_t> processes_;
};

}  // namespace
}  // namespace tidemill

int main() {
  using namespace tidemill;  // NOLINT(google-build-using-namespace)
  const benchmarks::BenchFolder folder("ranks");
  // Before this process has threads.
  const Trainers ranks(2, 1, folder.path() + "/meeting");
  const Trainers threads(1, 2, "");
  benchmarks::Report(benchmarks::Measure(
      "ranks_vs_threads", "samples/s", 1, [&] { return ranks.TrainEpoch(); },
      [&] { return threads.TrainEpoch(); }));
  return 0;
}
