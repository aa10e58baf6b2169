// What four trainings of the same samples on one host cost together, against one of them alone.
//
// Each is a process that takes batches of photographs, which are decoded, resized, cropped and
// normalised with two threads, and drops them. All share what they prepare (training.share:
// window). Two figures: the processors' seconds of one alone over those of the four together, and
// the rate of the slowest of the four over that of one alone.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "base/memory/heap.h"
#include "benchmarks/dataloader/jpeg_vs_dataloader_images.h"
#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "config/config.h"
#include "loader/batches/batch_stream.h"

namespace tidemill::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kConsumers = 4;
constexpr int kRounds = 7;
constexpr int64_t kSamples = 1'024;
constexpr int64_t kEpochs = 4;
constexpr char kGraph[] =
    "- decode_image: {height: 375, width: 500}\n"
    "- resize: {height: 256, width: 341, antialias: true}\n"
    "- random_crop: {column: image, height: 224, width: 224}\n"
    "- random_flip: {column: image}\n"
    "- normalize: {column: image, scale: 0.0039215686, into: input}\n"
    "- label: {into: target}\n";

// Artificial photographs cost more to make than to decode.
const std::vector<std::string>& Photographs() {
  static const std::vector<std::string> photographs = [] {
    std::vector<std::string> made;
    for (uint32_t seed = 0; seed < 64; ++seed) made.push_back(MakePhotograph(seed, 375, 500, 90));
    return made;
  }();
  return photographs;
}

absl::Status ReadPhotographs(std::span<const int64_t> keys, const loader::SampleSink& sink) {
  std::vector<std::string_view> payloads;
  for (const int64_t key : keys) {
    payloads.push_back(Photographs()[static_cast<size_t>(key) % Photographs().size()]);
  }
  batch::Batch samples(std::ssize(keys));
  RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
  RETURN_IF_ERROR(
      samples.Set(batch::MakeColumn<int64_t>("class_label", std::vector<int64_t>(keys.size()))));
  RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, payloads)));
  return sink(std::move(samples), {});
}

absl::StatusOr<loader::BatchParts> PartsIn(const std::string& folder) {
  loader::TrainingSet set;
  for (int64_t key = 0; key < kSamples; ++key) set.keys.push_back(key);
  ASSIGN_OR_RETURN(const auto spec, config::Read<transform::GraphSpec>(kGraph, "graph"));
  ASSIGN_OR_RETURN(auto graph,
                   transform::Graph::Build(spec, {.payload = batch::PayloadKind::kFile,
                                                  .label = transform::LabelKind::kClass}));
  return loader::BatchParts{.set = std::make_shared<const loader::TrainingSet>(std::move(set)),
                            .reader = ReadPhotographs,
                            .graph = std::make_shared<const transform::Graph>(std::move(graph)),
                            .sharing = std::make_shared<const loader::Sharing>(
                                loader::Sharing{.folder = folder, .origin = "photographs"})};
}

// What one consumer tells.
struct Told {
  double rate = 0;
  int64_t rows = 0;
  loader::SharedWork shared = {};
};

absl::StatusOr<Told> Consume(const std::string& folder) {
  ASSIGN_OR_RETURN(const loader::BatchParts parts, PartsIn(folder));
  const loader::BatchPlan plan{
      .batch_size = 32, .epochs = kEpochs, .shuffle = {.seed = 7, .purpose = "shuffle"}};
  ASSIGN_OR_RETURN(const auto stream, loader::BatchStream::Create(parts, plan, {.num_threads = 2}));
  Told told;
  const auto begin = Clock::now();
  while (true) {
    ASSIGN_OR_RETURN(const auto batch, stream->Next());
    if (!batch) break;
    if (batch->num_skipped > 0) return Internal("a sample was skipped: {}", batch->reason);
    told.rows += batch->rows.num_rows();
  }
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  told.rate = static_cast<double>(told.rows) / seconds.count();
  told.shared = stream->work().shared;
  return told;
}

// The consumers' processes, which begin when all are there.
struct Group {
  std::vector<Told> told;
  double processor_seconds = 0;
};

double SecondsOfChildren() {
  rusage used = {};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Group RunTogether(int num_consumers) {
  const std::string folder = fmt::format("/dev/shm/tidemill-bench-{}", getpid());
  const double before = SecondsOfChildren();
  int answers[2] = {-1, -1};
  if (pipe(answers) != 0) Fail("no pipe");
  std::vector<pid_t> processes;
  for (int i = 0; i < num_consumers; ++i) {
    const pid_t process = fork();
    if (process == 0) {
      const auto told = Consume(folder);
      if (!told.ok()) Fail(told.status().ToString());
      const bool is_sent = write(answers[1], &*told, sizeof(Told)) == sizeof(Told);
      _exit(is_sent ? 0 : 1);
    }
    processes.push_back(process);
  }
  Group group;
  for (int i = 0; i < num_consumers; ++i) {
    Told told;
    if (read(answers[0], &told, sizeof(told)) != sizeof(told)) Fail("a consumer told nothing");
    if (told.rows != kSamples * kEpochs) Fail("samples are missing");
    group.told.push_back(told);
  }
  for (const pid_t process : processes) waitpid(process, nullptr, 0);
  for (const int end : answers) close(end);
  group.processor_seconds = SecondsOfChildren() - before;
  std::filesystem::remove_all(folder);
  return group;
}

double SlowestOf(const Group& group) { return std::ranges::min(group.told, {}, &Told::rate).rate; }

void Main() {
  Photographs();
  RunTogether(1);
  PairedRates processors;
  PairedRates rates;
  for (int round = 0; round < kRounds; ++round) {
    const Group alone = RunTogether(1);
    const Group together = RunTogether(kConsumers);
    constexpr double kVisited = static_cast<double>(kSamples * kEpochs);
    // Samples of one consumer for each second of the processors.
    processors.Add(kVisited / together.processor_seconds, kVisited / alone.processor_seconds);
    rates.Add(SlowestOf(together), SlowestOf(alone));
    loader::SharedWork shared;
    for (const Told& told : together.told) loader::Add(told.shared, 1, shared);
    fmt::print(
        stderr,
        "{:.2f} s of the processors alone, {:.2f} s together; {:.0f} samples/s alone, {:.0f} "
        "the slowest; {} made, {} taken, {} again, {:.1f} s waited\n",
        alone.processor_seconds, together.processor_seconds, SlowestOf(alone), SlowestOf(together),
        shared.made, shared.taken, shared.again, static_cast<double>(shared.wait_ns) / 1e9);
  }
  Report(processors.Result("shared_vs_alone_processors", "samples/s"));
  Report(rates.Result("shared_vs_alone_rate", "samples/s"));
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() {
  tidemill::KeepFreedPages();  // As trainings do.
  tidemill::benchmarks::Main();
  return 0;
}
