// Shuffled samples, with keys, times and labels, on storage's host, against a gather of the same
// payloads written by hand: one thread each, warm page cache, other keys in each repetition.
//
// The yardstick writes all of it to fresh memory, which costs it more than the gather itself;
// stderr shows its rate with memory that is there already.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <vector>

#include "benchmarks/paired.h"
#include "benchmarks/shuffled_reads.h"

namespace tidemill::benchmarks {
namespace {

// The data file as the yardstick has it: mapped and in memory.
class Mapping {
 public:
  explicit Mapping(const ServedRecords& records)
      : first_key_(records.first_key()),
        size_(static_cast<size_t>(records.num_samples() * kRecordBytes)) {
    const int descriptor = open(records.file().c_str(), O_RDONLY | O_CLOEXEC);
    void* const start = mmap(nullptr, size_, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    close(descriptor);
    if (start == MAP_FAILED) Fail("cannot map " + records.file());
    data_ = static_cast<const char*>(start);
  }
  ~Mapping() { munmap(const_cast<char*>(data_), size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void Gather(const std::vector<int64_t>& keys, char* into) const {
    constexpr size_t kAhead = 32;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (i + kAhead < keys.size()) {
        const char* const ahead = RecordOf(keys[i + kAhead]);
        for (int64_t at = 0; at < kRecordBytes; at += 64) __builtin_prefetch(ahead + at);
        __builtin_prefetch(ahead + kRecordBytes - 1);
      }
      std::memcpy(into + i * kPayloadBytes, RecordOf(keys[i]) + kLabelBytes, kPayloadBytes);
    }
  }

 private:
  const char* RecordOf(int64_t key) const { return data_ + (key - first_key_) * kRecordBytes; }

  const int64_t first_key_;
  const size_t size_;
  const char* data_ = nullptr;
};

int Run() {
  const ServedRecords records(NumSamples(10'000'000), ServedRecords::Served::kLocally);
  ShuffledReads requests(records);
  for (int i = 0; i < 4; ++i) CheckContent(records, requests.Next());
  const Mapping mapping(records);
  const auto ours = [&] { return Read(records, requests.Next()); };
  const auto into_fresh_memory = [&] {
    const auto into = std::make_unique_for_overwrite<char[]>(kKeysPerRead * kPayloadBytes);
    mapping.Gather(requests.Next(), into.get());
    return static_cast<double>(kKeysPerRead);
  };
  const auto used = std::make_unique<char[]>(kKeysPerRead * kPayloadBytes);
  const auto into_used_memory = [&] {
    mapping.Gather(requests.Next(), used.get());
    return static_cast<double>(kKeysPerRead);
  };
  const PairedResult against_used =
      Measure("read_short_circuit", "M samples/s", 1e6, ours, into_used_memory);
  fmt::print(stderr,
             "into memory that is there already: {:.3f} ({:.3f} to {:.3f}), yardstick {:.3g} {}\n",
             against_used.ratio, against_used.min, against_used.max, against_used.yardstick,
             against_used.unit);
  Report(Measure("read_short_circuit", "M samples/s", 1e6, ours, into_fresh_memory));
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() { return tidemill::benchmarks::Run(); }
