// Compression that decides for itself, with real processes: off where it does not pay, on where it
// does, and the same batches either way.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "tests/own_worker.h"
#include "tests/prepared_set.h"

namespace tidemill::tests {
namespace {

using preprocess::CompressionChoice;
using preprocess::JobSpec;
using preprocess::LinkCounters;
using preprocess::Transport;
using preprocess::WorkerSource;
using ::tidemill::testing::IsOk;

constexpr int64_t kSamplesToSend = 8000;
constexpr int64_t kSentBatchSize = 64;
// The number of batches after which it must have decided.
constexpr int64_t kBatchesToDecide = 20;
constexpr int kColumns = 96;

// Numbers that look random: those of rows, hashed again and again.
std::string IncompressibleGraph() {
  std::string graph = "- parse_csv: {columns: [a], dtype: int64}\n";
  std::string names;
  for (int i = 0; i < kColumns; ++i) {
    graph += fmt::format(
        "- hash_buckets: {{column: a, buckets: 1000000000, seed: {}, into: h{}}}\n", i, i);
    names += fmt::format("{}h{}", i == 0 ? "" : ", ", i);
  }
  graph += fmt::format("- stack: {{columns: [{}], into: input}}\n", names);
  return graph + "- label: {into: target}\n";
}

// Each number of a row many times.
constexpr char kCompressibleGraph[] =
    "- parse_csv: {columns: [a]}\n"
    "- reshape: {column: a, shape: [1, 1]}\n"
    "- resize: {column: a, height: 16, width: 16}\n"
    "- reshape: {column: a, shape: [256], into: input}\n"
    "- label: {into: target}\n";

// What all links of a source have done together.
LinkCounters Total(const WorkerSource& source) {
  LinkCounters total;
  for (const auto& [worker, link] : source.counters().links) {
    EXPECT_EQ(link.transport, "frames") << worker;
    total.num_batches += link.num_batches;
    total.num_bytes += link.num_bytes;
    total.num_wire_bytes += link.num_wire_bytes;
    total.num_compressed += link.num_compressed;
    total.compression = std::max(total.compression, link.compression);
  }
  return total;
}

struct Looks {
  LinkCounters decided;  // After kBatchesToDecide.
  LinkCounters end;
};

// Reads a job to its end, with batches that must equal those made here.
Looks Read(const PreparedSet& set, const JobSpec& job, CompressionChoice choice) {
  const auto expected = set.Expected(job);
  const auto source = set.Consume(job, 0, 0,
                                  {.link = {.transport = Transport::kFrames, .compression = choice},
                                   .bytes_ahead = int64_t{1} << 20,
                                   .patience = std::chrono::minutes{5}});
  Looks looks;
  for (size_t i = 0;; ++i) {
    const auto next = source->Next();
    EXPECT_THAT(next, IsOk());
    if (!next.ok() || !*next) break;
    EXPECT_EQ(Describe(**next), Describe(expected.at(i)));
    if (i + 1 == kBatchesToDecide) looks.decided = Total(*source);
  }
  looks.end = Total(*source);
  EXPECT_EQ(looks.end.num_batches, std::ssize(expected));
  return looks;
}

TEST(Compression, IsOffWithinTwentyBatchesWhereNothingIsGainedByIt) {
  const PreparedSet set(kSamplesToSend, 1);
  JobSpec job = set.Job(kSentBatchSize, 1);
  job.graph = IncompressibleGraph();
  const Looks looks = Read(set, job, CompressionChoice::kAuto);
  fmt::print(stderr, "{} of {} batches compressed, {} of {} bytes sent\n", looks.end.num_compressed,
             looks.end.num_batches, looks.end.num_wire_bytes, looks.end.num_bytes);
  EXPECT_EQ(looks.end.num_compressed, looks.decided.num_compressed) << "it is off for good";
  EXPECT_EQ(looks.end.compression, preprocess::v1::COMPRESSION_UNSPECIFIED);
}

TEST(Compression, IsOnWhereTheLinkIsSlowAndTheDataCompressible) {
  const PreparedSet set(kSamplesToSend, 1);
  set.DrainWorkers();
  const DistantWorker worker(set.stack(),
                             {.portion_bytes = 16 << 10, .pause = std::chrono::milliseconds{20}});
  JobSpec job = set.Job(kSentBatchSize, 1);
  job.graph = kCompressibleGraph;
  const Looks looks = Read(set, job, CompressionChoice::kAuto);
  fmt::print(stderr, "{} of {} batches compressed, {} of {} bytes sent\n", looks.end.num_compressed,
             looks.end.num_batches, looks.end.num_wire_bytes, looks.end.num_bytes);
  EXPECT_NE(looks.end.compression, preprocess::v1::COMPRESSION_UNSPECIFIED);
  EXPECT_GE(looks.end.num_compressed - looks.decided.num_compressed,
            (looks.end.num_batches - looks.decided.num_batches) * 9 / 10);
  EXPECT_LT(looks.end.num_wire_bytes, looks.end.num_bytes / 2);
}

}  // namespace
}  // namespace tidemill::tests
