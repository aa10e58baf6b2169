// Threads that tune themselves against the best fixed number of threads.
//
// Six kinds of preparing, each in the process of the training and from memory: photographs, rows of
// a CSV file with numbers and categories, texts, windows of series, an op that waits, and storage
// that is far away. Ours: two threads that may become 32, the defaults on two cores; the rate is
// measured after six seconds. The yardstick: the best of 1, 2, 4, 8, 16 and 32 threads, each
// measured after a second. The budget of bytes is the same, and ours may not exceed it. The figure
// is the lowest of the six ratios; the others are on stderr. An argument is the part of a name.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"

#include "batch/slice.h"
#include "benchmarks/dataloader/jpeg_vs_dataloader_images.h"
#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "config/config.h"
#include "loader/batches/batch_stream.h"

namespace tidemill::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kFixed[] = {1, 2, 4, 8, 16, 32};
constexpr int kThreads = 2;
constexpr int kMostThreads = 32;
constexpr int64_t kBytesAhead = int64_t{64} << 20;
constexpr seconds kTuning{6};
constexpr seconds kWarmUp{1};
constexpr seconds kLook{2};
constexpr int kRounds = 3;

// One kind of preparing: sample k is records[k % size].
struct Kind {
  std::string name;
  std::string graph = {};
  batch::PayloadKind payload = batch::PayloadKind::kCsv;
  std::vector<std::string> columns = {};
  std::vector<std::string> records = {};
  int64_t batch_size = 256;
  int64_t samples = 100'000;
  // How long storage takes to answer.
  milliseconds distance{0};
};

std::string Names(const std::string& prefix, int count) {
  std::string names;
  for (int i = 0; i < count; ++i) names += fmt::format("{}{}{}", i > 0 ? ", " : "", prefix, i);
  return names;
}

Kind Rows() {
  constexpr int kNumbers = 13;
  constexpr int kCategories = 8;
  Kind kind{.name = "rows"};
  for (int i = 0; i < kNumbers; ++i) kind.columns.push_back(fmt::format("n{}", i));
  for (int i = 0; i < kCategories; ++i) kind.columns.push_back(fmt::format("c{}", i));
  for (int row = 0; row < 1000; ++row) {
    std::string& record = kind.records.emplace_back();
    for (int i = 0; i < kNumbers; ++i) record += fmt::format("{}.25,", row * 7 % (100 + i));
    for (int i = 0; i < kCategories; ++i) {
      record += fmt::format("{}category{}", i > 0 ? "," : "", row * 31 % (1000 + i));
    }
  }
  kind.graph = fmt::format(
      "- parse_csv: {{columns: [{}], dtype: float32}}\n- log1p: {{columns: "
      "all}}\n- stack: {{columns: all, into: input}}\n",
      Names("n", kNumbers));
  kind.graph +=
      fmt::format("- parse_csv: {{columns: [{}], dtype: string}}\n", Names("c", kCategories));
  for (int i = 0; i < kCategories; ++i) {
    kind.graph += fmt::format("- hash_buckets: {{column: c{}, buckets: 10000}}\n", i);
  }
  kind.graph +=
      fmt::format("- stack: {{columns: [{}], into: input_categories}}\n", Names("c", kCategories));
  return kind;
}

Kind Photographs() {
  Kind kind{.name = "photographs",
            .graph =
                "- decode_image: {height: 96, width: 96, into: image}\n"
                "- random_flip: {column: image}\n"
                "- normalize: {column: image, scale: 0.0039215686, into: input}\n",
            .payload = batch::PayloadKind::kFile,
            .batch_size = 32,
            .samples = 20'000};
  for (uint32_t seed = 0; seed < 64; ++seed) {
    kind.records.push_back(MakePhotograph(seed, 96, 96, 90));
  }
  return kind;
}

Kind Texts() {
  Kind kind{.name = "texts",
            .graph =
                "- parse_csv: {columns: [text], dtype: string}\n"
                "- hash_tokens: {column: text, buckets: 65536, length: 64, ngrams: 2, into: "
                "input}\n",
            .columns = {"text"}};
  for (int row = 0; row < 1000; ++row) {
    std::string& record = kind.records.emplace_back();
    for (int word = 0; word < 8 + row % 24; ++word) {
      record += fmt::format("{}word{}", word > 0 ? " " : "", row * 17 % (300 + word));
    }
  }
  return kind;
}

Kind Windows() {
  Kind kind{.name = "windows of series",
            .graph =
                "- parse_record: {fields: [{name: x, dtype: float32, shape: [384]}]}\n"
                "- normalize: {column: x, mean: [1], std: [2], into: input}\n",
            .payload = batch::PayloadKind::kRecord};
  for (int row = 0; row < 1000; ++row) {
    std::vector<float> numbers(384);
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<float>((static_cast<size_t>(row) * 13 + i) % 97);
    }
    kind.records.emplace_back(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
  }
  return kind;
}

std::vector<Kind> Kinds() {
  std::vector<Kind> kinds = {Photographs(), Rows(), Texts(), Windows(), Rows(), Rows()};
  kinds[4].name = "an op that waits";
  kinds[4].graph = "- delay: {milliseconds: 5}\n" + kinds[4].graph;
  kinds[5].name = "storage far away";
  kinds[5].distance = milliseconds{20};
  for (Kind& kind : kinds) kind.graph += "- label: {into: target}\n";
  return kinds;
}

loader::SampleReader ReaderOf(const Kind& kind) {
  return [&kind](std::span<const int64_t> keys, const loader::SampleSink& sink) -> absl::Status {
    std::this_thread::sleep_for(kind.distance);
    std::vector<std::string_view> payloads;
    std::vector<int64_t> labels(keys.size());
    for (const int64_t key : keys) {
      payloads.push_back(kind.records[static_cast<size_t>(key) % kind.records.size()]);
    }
    batch::Batch samples(static_cast<int64_t>(keys.size()));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>("class_label", labels)));
    RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, payloads)));
    return sink(std::move(samples), {});
  };
}

loader::BatchParts PartsOf(const Kind& kind) {
  loader::TrainingSet set;
  for (int64_t key = 0; key < kind.samples; ++key) set.keys.push_back(key);
  const auto spec = config::Read<transform::GraphSpec>(kind.graph, "graph");
  if (!spec.ok()) Fail(spec.status().ToString());
  auto graph = transform::Graph::Build(
      *spec,
      {.payload = kind.payload, .columns = kind.columns, .label = transform::LabelKind::kClass});
  if (!graph.ok()) Fail(graph.status().ToString());
  return {.set = std::make_shared<const loader::TrainingSet>(std::move(set)),
          .reader = ReaderOf(kind),
          .graph = std::make_shared<const transform::Graph>(*std::move(graph))};
}

// The bytes that are ready.
class HeldBytes {
 public:
  void Add(int64_t bytes) {
    const int64_t now = held_ += bytes;
    int64_t before = most_;
    while (before < now && !most_.compare_exchange_weak(before, now)) {
    }
  }
  int64_t most() const { return most_; }

 private:
  std::atomic<int64_t> held_ = 0;
  std::atomic<int64_t> most_ = 0;
};

struct Seen {
  double rate = 0;  // Samples a second, after a while.
  int64_t most_bytes = 0;
};

Seen Look(const Kind& kind, loader::StreamOptions options, seconds warm_up) {
  const loader::BatchPlan plan{.batch_size = kind.batch_size,
                               .epochs = 1'000'000,
                               .shuffle = {.seed = 7, .purpose = "shuffle"}};
  HeldBytes held;
  options.bytes_ahead = kBytesAhead;
  options.settle = [&held](batch::Batch& rows) {
    held.Add(batch::BytesOf(rows));
    return absl::OkStatus();
  };
  const auto stream = loader::BatchStream::Create(PartsOf(kind), plan, options);
  if (!stream.ok()) Fail(stream.status().ToString());
  const auto begin = Clock::now();
  auto counted = begin;
  int64_t rows = 0;
  for (bool is_warm = false; Clock::now() < begin + warm_up + kLook;) {
    const auto batch = (*stream)->Next();
    if (!batch.ok()) Fail(batch.status().ToString());
    if ((*batch)->num_skipped > 0) Fail("samples were skipped: " + (*batch)->reason);
    rows += (*batch)->rows.num_rows();
    held.Add(-batch::BytesOf((*batch)->rows));
    if (is_warm || Clock::now() < begin + warm_up) continue;
    is_warm = true;
    counted = Clock::now();
    rows = 0;
  }
  const std::chrono::duration<double> counted_for = Clock::now() - counted;
  return {static_cast<double>(rows) / counted_for.count(), held.most()};
}

// The rates of one kind, round by round.
class Comparison {
 public:
  explicit Comparison(const Kind& kind) : kind_(kind) {}

  PairedResult Run() {
    for (int round = 0; round < kRounds; ++round) RunRound();
    for (auto* values : {&ratios_, &ours_, &best_}) std::sort(values->begin(), values->end());
    return {.name = "autotune_vs_best",
            .unit = "samples/s",
            .repetitions = kRounds,
            .ratio = ratios_[kRounds / 2],
            .min = ratios_.front(),
            .max = ratios_.back(),
            .ours = ours_[kRounds / 2],
            .yardstick = best_[kRounds / 2]};
  }

 private:
  void RunRound() {
    const auto found = std::make_shared<std::atomic<int>>(0);
    const Seen tuned =
        Look(kind_, {.num_threads = kThreads, .most_threads = kMostThreads, .found_threads = found},
             kTuning);
    std::string line = fmt::format("{}: {:.0f} with {} threads and {} MiB;", kind_.name, tuned.rate,
                                   found->load(), tuned.most_bytes >> 20);
    if (tuned.most_bytes > kBytesAhead) Fail(line + " the budget is exceeded");
    double fastest = 0;
    for (const int fixed : kFixed) {
      const double rate = Look(kind_, {.num_threads = fixed}, kWarmUp).rate;
      line += fmt::format(" {}: {:.0f}", fixed, rate);
      fastest = std::max(fastest, rate);
    }
    fmt::print(stderr, "{}\n", line);
    ours_.push_back(tuned.rate);
    best_.push_back(fastest);
    ratios_.push_back(tuned.rate / fastest);
  }

  const Kind& kind_;
  std::vector<double> ratios_;
  std::vector<double> ours_;
  std::vector<double> best_;
};

void Main(std::string_view name) {
  const std::vector<Kind> kinds = Kinds();
  for (const Kind& kind : kinds) PartsOf(kind);  // A mistake in the last one is found at once.
  PairedResult lowest;
  for (const Kind& kind : kinds) {
    if (kind.name.find(name) == std::string::npos) continue;
    const PairedResult result = Comparison(kind).Run();
    fmt::print(stderr, "{}: {:.2f} ({:.2f} to {:.2f}) of the best\n", kind.name, result.ratio,
               result.min, result.max);
    if (lowest.name.empty() || result.ratio < lowest.ratio) lowest = result;
  }
  Report(lowest);
}

}  // namespace
}  // namespace tidemill::benchmarks

int main(int argc, char** argv) { tidemill::benchmarks::Main(argc > 1 ? argv[1] : ""); }
