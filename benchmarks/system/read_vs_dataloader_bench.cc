// Shuffled samples on storage's host against PyTorch's DataLoader over the same file, at the best
// of its settings here (dataloader.py): one process, batches gathered by numpy or torch from a
// memory map, or two workers. It delivers whole records, we deliver payloads, keys, times and
// labels.
//
// Needs a Python with torch and numpy: $TIDEMILL_BENCH_PYTHON, that of .venv, or python3.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/testing/tree.h"
#include "benchmarks/paired.h"
#include "benchmarks/shuffled_reads.h"

namespace tidemill::benchmarks {
namespace {

// The first Python that has what it takes.
std::string FindPython() {
  const char* const asked = std::getenv("TIDEMILL_BENCH_PYTHON");
  const std::string candidates[] = {asked == nullptr ? "" : asked,
                                    tidemill::testing::InTree(".venv/bin/python"), "python3"};
  for (const std::string& python : candidates) {
    if (python.empty()) continue;
    const std::string command = python + " -c 'import numpy, torch.utils.data' 2>/dev/null";
    if (std::system(command.c_str()) == 0) return python;
  }
  Fail("no Python with torch and numpy: run tools/setup.sh --bench or set TIDEMILL_BENCH_PYTHON");
}

// The DataLoader's process, driven through pipes.
class DataLoader {
 public:
  DataLoader(const std::string& python, const ServedRecords& records)
      : first_key_(records.first_key()) {
    int input[2];
    int output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) Fail("cannot make pipes");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], 0);
    posix_spawn_file_actions_adddup2(&actions, output[1], 1);
    const std::string record_bytes = std::to_string(kRecordBytes);
    const std::string num_rows = std::to_string(kKeysPerRead);
    const std::string program = tidemill::testing::InTree("benchmarks/system/dataloader.py");
    const char* const arguments[] = {python.c_str(),       program.c_str(),  records.file().c_str(),
                                     record_bytes.c_str(), num_rows.c_str(), nullptr};
    if (posix_spawnp(&process_, python.c_str(), &actions, nullptr,
                     const_cast<char* const*>(arguments), environ) != 0) {
      Fail("cannot start " + python);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    to_ = fdopen(input[1], "w");
    from_ = fdopen(output[0], "r");
  }
  ~DataLoader() {
    std::fclose(to_);
    std::fclose(from_);
    waitpid(process_, nullptr, 0);
  }
  DataLoader(const DataLoader&) = delete;
  DataLoader& operator=(const DataLoader&) = delete;

  // Adds to the keys to read, one list after another.
  void Prepare(const std::vector<int64_t>& keys) {
    std::vector<int64_t> rows;
    for (const int64_t key : keys) rows.push_back(key - first_key_);
    std::fputs("rows\n", to_);
    std::fwrite(rows.data(), sizeof(int64_t), rows.size(), to_);
    Answer();
  }
  double Read() { return std::strtod(Ask("read\n").c_str(), nullptr); }
  int64_t SumOfBytes() { return std::strtoll(Ask("check\n").c_str(), nullptr, 10); }

 private:
  std::string Ask(const char* command) {
    std::fputs(command, to_);
    return Answer();
  }
  std::string Answer() {
    std::fflush(to_);
    char line[64] = {};
    if (std::fgets(line, sizeof(line), from_) == nullptr) Fail("the DataLoader ended");
    return line;
  }

  const int64_t first_key_;
  pid_t process_ = 0;
  FILE* to_ = nullptr;
  FILE* from_ = nullptr;
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
  const std::string python = FindPython();
  const ServedRecords records(NumSamples(10'000'000), ServedRecords::Served::kLocally);
  ShuffledReads requests(records);
  DataLoader loader(python, records);
  const std::vector<int64_t>& first = requests.Next();
  CheckContent(records, first);
  loader.Prepare(first);
  for (int i = 0; i < 12; ++i) loader.Prepare(requests.Next());
  if (loader.SumOfBytes() != SumOfBytes(records, first)) Fail("the DataLoader reads other records");
  const auto ours = [&] { return Read(records, requests.Next()); };
  Report(Measure("read_vs_dataloader", "M samples/s", 1e6, ours, [&] { return loader.Read(); }));
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() { return tidemill::benchmarks::Run(); }
