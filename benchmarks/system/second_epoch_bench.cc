// What keeping prepared samples gains: epochs over photographs whose rows are found, in memory or
// on disk, beside epochs that prepare every sample. And whether autocache finds it: for ten graphs
// the epochs with rows kept at each point are measured, and compared with the point that was chosen
// and with the gain that was predicted. Every batch that is compared is the same, to the last bit.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/descriptor.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/memory/heap.h"
#include "batch/wire.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "benchmarks/system/criteo_records.h"
#include "benchmarks/system/served_epochs.h"
#include "loader/batches/batch_stream.h"
#include "loader/prepared/sample_cache.h"

namespace tidemill::benchmarks {
namespace {

constexpr int64_t kPhotographs = 1'024;
constexpr int64_t kRecords = 500'000;
constexpr int64_t kRoom = int64_t{4} << 30;

constexpr char kEnd[] = "- stack: {columns: [image], into: input}\n- label: {into: target}\n";
constexpr char kDecode[] = "- decode_image: {height: 375, width: 500}\n";
constexpr char kScale[] =
    "- normalize: {column: image, scale: 0.00392156862745098, mean: [0.485, 0.456, 0.406], std: "
    "[0.229, 0.224, 0.225]}\n";

std::string Resize(int height, int width) {
  return fmt::format("- resize: {{height: {}, width: {}, antialias: true}}\n", height, width);
}
std::string Crop(const char* op, int size) {
  return fmt::format("- {}: {{height: {}, width: {}}}\n", op, size, size);
}

struct NamedGraph {
  const char* name;
  std::string text;
};

// Graphs whose best point differs: small rows early or late, expensive ops early or late, random
// ops.
std::vector<NamedGraph> Graphs() {
  return {
      {"augmented", kDecode + Resize(256, 341) + Crop("random_crop", 224) + kScale + kEnd},
      {"plain", kDecode + Resize(256, 341) + Crop("crop", 224) + kScale + kEnd},
      {"thumbnails", kDecode + Resize(64, 86) + Crop("random_crop", 56) + kScale + kEnd},
      {"whole", std::string(kDecode) + kScale + kEnd},
      {"cut", kDecode + Crop("crop", 224) + Crop("random_crop", 192) + kScale + kEnd},
      {"cut_random", kDecode + Crop("random_crop", 224) + kScale + kEnd},
      {"large", kDecode + Resize(360, 480) + Crop("random_crop", 320) + kScale + kEnd},
      {"twice", kDecode + Resize(300, 400) + Resize(128, 171) + Crop("crop", 112) + kScale + kEnd},
      {"tiny", kDecode + Resize(32, 43) + kScale + kEnd},
      {"slow_end",
       kDecode + Resize(96, 128) + kScale + "- delay: {milliseconds: 2, per: sample}\n" + kEnd}};
}

class Epochs {
 public:
  Epochs(ServedEpochs& served, loader::OpenedSet opened, int64_t batch_size)
      : served_(served), opened_(std::move(opened)), batch_size_(batch_size) {}

  const loader::OpenedSet& opened() const { return opened_; }

  absl::StatusOr<std::shared_ptr<loader::SampleCache>> Cache(
      loader::CacheMode mode, int after_op,
      std::shared_ptr<const prepared::HostStore> store) const {
    ASSIGN_OR_RETURN(
        auto cache,
        loader::SampleCache::Create(
            {.mode = mode,
             .after_op = after_op,
             .store = std::move(store),
             .graph = opened_.graph,
             .identify = [this](std::span<const int64_t> keys) { return served_.Identify(keys); },
             .num_samples = opened_.set->size(),
             .uses = 9}));
    return std::shared_ptr<loader::SampleCache>(std::move(cache));
  }

  // Reads an epoch. Returns the samples, and the digest of all batches if `digest` asks for it.
  absl::StatusOr<double> Read(const std::shared_ptr<loader::SampleCache>& cache, int64_t seed,
                              std::string* digest = nullptr) const {
    loader::BatchParts parts = {.set = opened_.set,
                                .reader = opened_.reader,
                                .graph = opened_.graph,
                                .cache = cache,
                                .bad = opened_.bad};
    const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    ASSIGN_OR_RETURN(
        const auto stream,
        loader::BatchStream::Create(
            parts, {.batch_size = batch_size_, .shuffle = {.seed = seed, .purpose = "shuffle"}},
            {.num_threads = cores}));
    Sha256Stream sum;
    int64_t num_samples = 0;
    while (true) {
      ASSIGN_OR_RETURN(const auto next, stream->Next());
      if (!next) break;
      num_samples += next->rows.num_rows();
      if (digest != nullptr) sum.Add(batch::Encode(next->rows));
    }
    if (digest != nullptr) *digest = sum.Finish();
    return static_cast<double>(num_samples);
  }

 private:
  ServedEpochs& served_;
  const loader::OpenedSet opened_;
  const int64_t batch_size_;
};

std::shared_ptr<const prepared::HostStore> StoreIn(const std::string& memory,
                                                   const std::string& disk) {
  return prepared::HostStore::Open({.memory_folder = memory,
                                    .memory_bytes = memory.empty() ? 0 : kRoom,
                                    .disk_folder = disk,
                                    .disk_bytes = disk.empty() ? 0 : kRoom});
}

// What was written is read from the device again.
void DropFromMemory(const std::string& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const Descriptor file(open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    fdatasync(file.number());
    posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
  }
}

absl::Status CheckSame(const Epochs& epochs, const std::shared_ptr<loader::SampleCache>& cache) {
  std::string expected;
  std::string made;
  std::string found;
  RETURN_IF_ERROR(epochs.Read(nullptr, 1, &expected).status());
  RETURN_IF_ERROR(epochs.Read(cache, 1, &made).status());
  RETURN_IF_ERROR(epochs.Read(cache, 1, &found).status());
  if (made != expected || found != expected) return Internal("the batches differ");
  return absl::OkStatus();
}

// Epochs that find all rows beside epochs that find none.
absl::StatusOr<PairedResult> CompareEpochs(const std::string& name, const Epochs& epochs,
                                           const std::shared_ptr<loader::SampleCache>& cache,
                                           const std::string& disk) {
  RETURN_IF_ERROR(CheckSame(epochs, cache));
  absl::Status status;
  int64_t seed = 1;
  const auto side = [&](std::shared_ptr<loader::SampleCache> with, bool drops) {
    return Side{.prepare =
                    [&, drops] {
                      if (drops) DropFromMemory(disk);
                    },
                .work =
                    [&, with = std::move(with)] {
                      const auto num_samples = epochs.Read(with, ++seed);
                      status.Update(num_samples.status());
                      return num_samples.value_or(0);
                    }};
  };
  PairedResult result =
      Measure(name, "samples/s", 1, side(cache, !disk.empty()), side(nullptr, false));
  RETURN_IF_ERROR(status);
  return result;
}

// How the choices of autocache turned out, graph by graph.
struct Choices {
  std::vector<double> vs_best;  // The chosen point's speed over that of the best one.
  std::vector<double>
      vs_predicted;  // The measured gain of the chosen point over the predicted one.
};

// Measures all points of a graph.
absl::Status CompareChoice(ServedEpochs& served, const NamedGraph& graph, const std::string& memory,
                           Choices& choices) {
  ASSIGN_OR_RETURN(loader::OpenedSet opened, served.OpenGraph(graph.text));
  const Epochs epochs(served, std::move(opened), 32);
  RETURN_IF_ERROR(files::Remove(memory));
  ASSIGN_OR_RETURN(const auto chooser,
                   epochs.Cache(loader::CacheMode::kAuto, 0, StoreIn(memory, "")));
  RETURN_IF_ERROR(epochs.Read(chooser, 1).status());
  const loader::CacheChoice choice = chooser->report().choice;
  double best = 1;  // Without a cache.
  double chosen = 1;
  for (int i = 0; i < std::ssize(choice.points); ++i) {
    const loader::PointGain& point = choice.points[static_cast<size_t>(i)];
    RETURN_IF_ERROR(files::Remove(memory));
    ASSIGN_OR_RETURN(const auto cache,
                     epochs.Cache(loader::CacheMode::kAfter, point.last_op, StoreIn(memory, "")));
    ASSIGN_OR_RETURN(const PairedResult result, CompareEpochs(graph.name, epochs, cache, ""));
    fmt::print(stderr, "{:<12} after op {}: {:.2f}x, predicted {:.2f}x{}\n", graph.name,
               point.last_op + 1, result.ratio, point.speedup,
               i == choice.chosen ? "  <- chosen" : "");
    best = std::max(best, result.ratio);
    if (i != choice.chosen) continue;
    chosen = result.ratio;
    choices.vs_predicted.push_back(result.ratio / point.speedup);
  }
  choices.vs_best.push_back(chosen / best);
  return absl::OkStatus();
}

// One line for all graphs: the median, the least and the most.
void ReportRatios(const std::string& name, const std::string& unit, std::vector<double> ratios) {
  if (ratios.empty()) return;
  std::ranges::sort(ratios);
  PairedResult result{.name = name,
                      .unit = unit,
                      .repetitions = static_cast<int>(ratios.size()),
                      .ratio = ratios[ratios.size() / 2],
                      .min = ratios.front(),
                      .max = ratios.back()};
  result.ours = result.ratio;
  result.yardstick = 1;
  Report(result);
}

absl::Status MeasurePhotographs(const BenchFolder& root, const std::string& memory) {
  const std::string photographs = root.path() + "/photographs";
  WritePhotographs(photographs, kPhotographs);
  ASSIGN_OR_RETURN(const auto served,
                   ServedEpochs::Start(PhotographWorkload(photographs), photographs));
  {
    ASSIGN_OR_RETURN(loader::OpenedSet opened, served->OpenGraph(Graphs().front().text));
    const Epochs epochs(*served, std::move(opened), 32);
    ASSIGN_OR_RETURN(const auto in_memory,
                     epochs.Cache(loader::CacheMode::kAfter, 1, StoreIn(memory, "")));
    ASSIGN_OR_RETURN(const PairedResult from_memory,
                     CompareEpochs("second_epoch_memory", epochs, in_memory, ""));
    Report(from_memory);
    const std::string disk = root.path() + "/kept";
    ASSIGN_OR_RETURN(const auto on_disk,
                     epochs.Cache(loader::CacheMode::kAfter, 1, StoreIn("", disk)));
    ASSIGN_OR_RETURN(const PairedResult from_disk,
                     CompareEpochs("second_epoch_disk", epochs, on_disk, disk));
    Report(from_disk);
  }
  Choices choices;
  for (const NamedGraph& graph : Graphs()) {
    RETURN_IF_ERROR(CompareChoice(*served, graph, memory, choices));
  }
  ReportRatios("autocache_chosen_vs_best", "times the speed of the best point", choices.vs_best);
  ReportRatios("autocache_measured_vs_predicted", "times the predicted gain", choices.vs_predicted);
  return absl::OkStatus();
}

// Autocache, which keeps nothing of light rows, beside no cache.
absl::Status MeasureLightRows(const BenchFolder& root, const std::string& memory) {
  const std::string records = root.path() + "/records";
  std::filesystem::create_directories(records);
  RETURN_IF_ERROR(WriteCriteoRecords(records, NumSamples(kRecords)));
  const Workload light = LightWorkload(records);
  ASSIGN_OR_RETURN(const auto served, ServedEpochs::Start(light, records));
  ASSIGN_OR_RETURN(loader::OpenedSet opened, served->OpenGraph(light.graph));
  const Epochs epochs(*served, std::move(opened), light.batch_size);
  ASSIGN_OR_RETURN(const auto cache,
                   epochs.Cache(loader::CacheMode::kAuto, 0, StoreIn(memory, "")));
  ASSIGN_OR_RETURN(const PairedResult result,
                   CompareEpochs("autocache_light_vs_off", epochs, cache, ""));
  Report(result);
  fmt::print(stderr, "light rows: {}\n", cache->report().choice.reason);
  return absl::OkStatus();
}

absl::Status Run() {
  const BenchFolder root("second_epoch");
  // As in a stack: below a folder that is not of all users.
  const std::string own = fmt::format("/dev/shm/tidemill-second-epoch-{}", getpid());
  const std::string memory = own + "/prepared";
  absl::Status status = MeasureLightRows(root, memory);
  if (status.ok()) status = MeasurePhotographs(root, memory);
  status.Update(files::Remove(own));
  return status;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() {
  tidemill::KeepFreedPages();  // As trainings do.
  const absl::Status status = tidemill::benchmarks::Run();
  if (status.ok()) return 0;
  fmt::print(stderr, "second_epoch_bench: {}\n", std::string(status.message()));
  return 1;
}
