// A uniform draw of 10 % of resident candidates, sealed on disk, against std::sample over the same
// array, written and synced. Both write eight bytes for each sample that they draw.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/threads/worker_pool.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "selector/choosing/chooser.h"
#include "selector/columns/training_set_file.h"
#include "selector/policies/uniform.h"

namespace tidemill {
namespace {

constexpr int64_t kFirstKey = int64_t{1} << 44;
// As storage lists them.
constexpr size_t kPiece = 65'536;
constexpr double kFraction = 0.1;

selector::SelectionSpec UniformDraw() {
  selector::Uniform draw;
  draw.fraction = kFraction;
  return draw;
}

// Our way: the policy, its writer, the digest, a name.
absl::StatusOr<std::string> SelectAndSeal(std::span<const int64_t> keys, int64_t seed,
                                          WorkerPool& pool, const std::string& folder) {
  selector::TrainingSetWriter writer(folder);
  const auto chooser =
      selector::ChooserFor(UniformDraw(), {.seed = seed, .purpose = "selection", .trigger = 1},
                           {.folder = folder, .pool = &pool}, writer);
  for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), kPiece))) {
    const auto piece = keys.first(std::min(keys.size(), kPiece));
    RETURN_IF_ERROR(chooser->Add({.keys = piece, .event_times = piece}));
  }
  RETURN_IF_ERROR(chooser->Finish());
  ASSIGN_OR_RETURN(std::string digest, writer.Seal());
  RETURN_IF_ERROR(writer.Publish(folder + "/ours.batch"));
  return digest;
}

// The yardstick: what one would write in a few lines.
bool SampleAndWrite(std::span<const int64_t> keys, uint64_t seed, const std::string& path) {
  std::vector<int64_t> drawn(static_cast<size_t>(kFraction * static_cast<double>(keys.size())));
  std::mt19937_64 generator(seed);
  std::sample(keys.begin(), keys.end(), drawn.begin(), drawn.size(), generator);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const auto bytes = static_cast<ssize_t>(drawn.size() * sizeof(int64_t));
  const bool written = file >= 0 && ::write(file, drawn.data(), bytes) == bytes &&
                       ::fsync(file) == 0 && ::close(file) == 0;
  return written;
}

// Exactly the share, each once, in order, every tenth of the candidates alike.
absl::Status CheckSelection(const std::string& folder, const std::string& digest, int64_t count) {
  ASSIGN_OR_RETURN(const batch::Batch entries,
                   selector::ReadTrainingSet(folder + "/ours.batch", digest));
  const auto keys = entries.keys();
  const auto drawn = static_cast<int64_t>(kFraction * static_cast<double>(count));
  if (std::ssize(keys) != drawn) return Internal("{} drawn of {}", keys.size(), drawn);
  std::vector<int64_t> tenths(10);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i] <= keys[i - 1]) return Internal("key {} is out of order", keys[i]);
    if (keys[i] < kFirstKey || keys[i] >= kFirstKey + count) return Internal("key {}", keys[i]);
    ++tenths[static_cast<size_t>((keys[i] - kFirstKey) * 10 / count)];
  }
  for (const int64_t tenth : tenths) {
    if (tenth < drawn / 11 || tenth > drawn / 9) return Internal("{} of one tenth", tenth);
  }
  return absl::OkStatus();
}

absl::Status Run(int64_t count) {
  const benchmarks::BenchFolder folder("select");
  std::vector<int64_t> keys(static_cast<size_t>(count));
  std::iota(keys.begin(), keys.end(), kFirstKey);
  WorkerPool pool("selection", 1);  // With the caller's thread, the selector's default.
  absl::Status status;
  int64_t seed = 0;
  const auto ours = [&] {
    const auto digest = SelectAndSeal(keys, ++seed, pool, folder.path());
    if (status.ok()) status = digest.status();
    if (status.ok() && seed == 1) status = CheckSelection(folder.path(), *digest, count);
    return static_cast<double>(count);
  };
  const auto yardstick = [&] {
    if (!SampleAndWrite(keys, static_cast<uint64_t>(seed), folder.path() + "/yardstick")) {
      status = Internal("the yardstick could not write");
    }
    return static_cast<double>(count);
  };
  const auto result =
      benchmarks::Measure("select_vs_sample", "Mcandidates/s", 1e6, ours, yardstick);
  RETURN_IF_ERROR(status);
  benchmarks::Report(result);
  return absl::OkStatus();
}

}  // namespace
}  // namespace tidemill

int main() {
  const absl::Status status = tidemill::Run(tidemill::benchmarks::NumSamples(10'000'000));
  if (status.ok()) return 0;
  fmt::print(stderr, "select_vs_sample_bench: {}\n", std::string(status.message()));
  return 1;
}
