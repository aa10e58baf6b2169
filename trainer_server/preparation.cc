#include "trainer_server/preparation.h"

#include <algorithm>
#include <cstdint>

#include "loader/shared/stream_control.h"

namespace tidemill::trainer_server {
namespace {

// One thread reads while another one transforms.
constexpr int kFewestThreads = 2;
// The most threads by default: for each that a training begins with, and at least. Storage that is
// far away answers as many requests at a time.
constexpr int kMostPerThread = 4;
constexpr int kMostThreads = 32;
// The prepared samples for each thread; enough that no thread waits for another one.
constexpr int64_t kBytesPerThread = int64_t{32} << 20;
constexpr int64_t kFewestBytes = int64_t{16} << 20;

}  // namespace

v1::Preparation PreparationFor(const TrainerConfig& config, int num_gpus, int num_cores) {
  const int num_trainings = std::max(config.cpu_slots, num_gpus);
  const int threads =
      config.loader_threads.value_or(std::max(kFewestThreads, num_cores / num_trainings));
  v1::Preparation preparation;
  preparation.set_threads(threads);
  preparation.set_most_threads(config.loader_most_threads.value_or(
      config.loader_threads ? 0 : std::max(kMostThreads, threads * kMostPerThread)));
  preparation.set_bytes_ahead(
      std::max(kFewestBytes,
               std::min(threads * kBytesPerThread, config.loader_memory.bytes / num_trainings)));
  preparation.set_share_bytes(config.share_window.bytes);
  return preparation;
}

v1::Preparation WithSharing(v1::Preparation preparation, const std::string& share_folder) {
  preparation.set_share_folder(share_folder);
  loader::RemoveDeadStreams(share_folder);
  return preparation;
}

}  // namespace tidemill::trainer_server
