// Shuffled samples on storage's host against PyTorch's DataLoader over the same file, at the best
// of its settings here (dataloader.py): one process, batches gathered by numpy or torch from a
// memory map, or two workers. It delivers whole records, we deliver payloads, keys, times and
// labels. Ours reads with a thread for each processor, as a training does. torch gathers a batch
// with as many.
//
// Needs a Python with torch and numpy: $TIDEMILL_BENCH_PYTHON, that of .venv, or python3.
#include <algorithm>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/threads/worker_pool.h"
#include "benchmarks/paired.h"
#include "benchmarks/python_process.h"
#include "benchmarks/shuffled_reads.h"

namespace tidemill::benchmarks {
namespace {

// The DataLoader's process.
class DataLoader {
 public:
  explicit DataLoader(const ServedRecords& records)
      : first_key_(records.first_key()),
        process_("import numpy, torch.utils.data", "benchmarks/dataloader/dataloader.py",
                 {records.file(), std::to_string(kRecordBytes), std::to_string(kKeysPerRead)}) {}

  // Adds to the keys to read, one list after another.
  void Prepare(const std::vector<int64_t>& keys) {
    std::vector<int64_t> rows;
    for (const int64_t key : keys) rows.push_back(key - first_key_);
    std::string request = "rows\n";
    request.append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(int64_t));
    process_.Ask(request);
  }
  double Read() { return process_.AskNumber("read\n"); }
  int64_t SumOfBytes() { return static_cast<int64_t>(process_.AskNumber("check\n")); }

 private:
  const int64_t first_key_;
  PythonProcess process_;
};

int64_t SumOfBytes(const ServedRecords& records, const std::vector<int64_t>& keys) {
  int64_t sum = 0;
  for (const int64_t key : keys) {
    const int64_t i = key - records.first_key();
    for (const char byte : ServedRecords::PayloadOf(i)) sum += static_cast<unsigned char>(byte);
    for (int64_t label = ServedRecords::LabelOf(i); label > 0; label /= 256) sum += label % 256;
  }
  return sum;
}

int Run() {
  const ServedRecords records(NumSamples(10'000'000), ServedRecords::Served::kLocally);
  ShuffledReads requests(records);
  DataLoader loader(records);
  const std::vector<int64_t>& first = requests.Next();
  CheckContent(records, first);
  loader.Prepare(first);
  for (int i = 0; i < 12; ++i) loader.Prepare(requests.Next());
  if (loader.SumOfBytes() != SumOfBytes(records, first)) Fail("the DataLoader reads other records");
  const auto num_threads = static_cast<int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  WorkerPool pool("read", static_cast<int>(num_threads) - 1);  // With this thread.
  const auto ours = [&] {
    const std::span<const int64_t> keys = requests.Next();
    const auto border = [&](int64_t thread) {
      return keys.size() * static_cast<size_t>(thread) / static_cast<size_t>(num_threads);
    };
    pool.ParallelFor(num_threads, [&](int64_t thread) {
      Read(records, keys.subspan(border(thread), border(thread + 1) - border(thread)));
    });
    return static_cast<double>(keys.size());
  };
  Report(Measure("read_vs_dataloader", "M samples/s", 1e6, ours, [&] { return loader.Read(); }));
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() { return tidemill::benchmarks::Run(); }
