// How long a training waits for its first batch: from a sealed set of a tenth of the records to the
// first batch of tensors, made at home or by a worker, and how long it takes to select and seal
// that set, once with candidates that storage lists and once with those of the selection before.
// The yardstick is what durability costs on this disk: a page that is written and synced to it.
// Each repetition has its own selection, opens its set, and creates its job.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "torch/torch.h"

#include "base/descriptor.h"
#include "base/memory/heap.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "benchmarks/system/criteo_records.h"
#include "benchmarks/system/served_epochs.h"
#include "loader/tensors.h"

namespace tidemill::benchmarks {
namespace {

constexpr int64_t kRecords = 1'000'000;
constexpr int kRepetitions = 25;

// Opens an epoch of the sealed set and makes its first batch. The caller keeps the source, so that
// its end is not measured.
absl::StatusOr<std::unique_ptr<loader::BatchSource>> FirstBatch(ServedEpochs& served, Way way) {
  ASSIGN_OR_RETURN(auto source, served.Open(way, 1));
  ASSIGN_OR_RETURN(const auto first, source->Next());
  if (!first) return Internal("the epoch has no batch");
  RETURN_IF_ERROR(loader::ToTensors(first->rows).status());
  return source;
}

absl::Status Run() {
  torch::set_num_threads(1);
  const BenchFolder root("first_batch");
  const std::string records = root.path() + "/records";
  std::filesystem::create_directories(records);
  RETURN_IF_ERROR(WriteCriteoRecords(records, NumSamples(kRecords)));
  Workload tenth = TenthWorkload(records);
  tenth.selects_anew = false;  // Seal() says when.
  ASSIGN_OR_RETURN(const auto served, ServedEpochs::Start(tenth, records));
  // On the disk of the stack, whose database and sealed sets are synced, too.
  const std::string synced = served->state() + "/first_batch.synced";
  const Descriptor file(open(synced.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  if (!file.is_open()) return Internal("cannot make {}", synced);
  absl::Status status;
  int64_t seed = 0;
  const Side sync = {
      .prepare = {}, .work = [&] {
        const std::vector<char> page(4096, static_cast<char>(++seed));
        if (pwrite(file.number(), page.data(), page.size(), 0) < 0 || fsync(file.number()) != 0) {
          status.Update(Internal("cannot sync {}", synced));
        }
        return 1.0;
      }};
  const auto report = [](const char* name, const Side& ours, const Side& yardstick) {
    const PairedResult result = Measure(name, "times/s", 1, ours, yardstick, kRepetitions);
    Report(result);
    fmt::print(stderr, "{:<24} {:.2f} ms, a sync {:.2f} ms\n", name, 1e3 / result.ours,
               1e3 / result.yardstick);
  };
  std::unique_ptr<loader::BatchSource> source;
  const auto seal = [&] {
    source.reset();
    status.Update(served->Seal(++seed));
  };
  const auto first = [&](Way way) {
    return Side{.prepare = seal, .work = [&, way] {
                  auto opened = FirstBatch(*served, way);
                  status.Update(opened.status());
                  if (opened.ok()) source = *std::move(opened);
                  return 1.0;
                }};
  };
  report("first_batch_home", first(Way::kHome), sync);
  report("first_batch_worker", first(Way::kRing), sync);
  const auto selection = [&](bool is_known) {
    return Side{.prepare = [&] { source.reset(); },
                .work =
                    [&, is_known] {
                      ++seed;
                      constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
                      status.Update(served->Seal(seed, is_known ? kEnd : kEnd - seed));
                      return 1.0;
                    }};
  };
  report("first_batch_selection", selection(/*is_known=*/false), sync);
  report("first_batch_selection_known", selection(/*is_known=*/true), sync);
  return status;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() {
  tidemill::KeepFreedPages();  // As trainings do.
  const absl::Status status = tidemill::benchmarks::Run();
  if (status.ok()) return 0;
  fmt::print(stderr, "first_batch_bench: {}\n", std::string(status.message()));
  return 1;
}
