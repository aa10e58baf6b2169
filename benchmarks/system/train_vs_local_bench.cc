// Training on a million of ten million records, chosen one by one at random, through storage, the
// loader and a graph, against the same libtorch loop over as many records that follow one another
// in local files, read in large chunks. Same batches, same number of prefetch threads, one
// thread of arithmetic. The model is so light that loading is a good part of the step.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include "torch/torch.h"

#define XXH_INLINE_ALL
#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "benchmarks/system/criteo_records.h"
#include "config/config.h"
#include "loader/batches/batch_stream.h"
#include "loader/read_ahead.h"
#include "loader/tensors.h"
#include "samples/dataset_schema.h"
#include "storage/testing/storage_process.h"
#include "xxhash.h"

namespace tidemill {
namespace {

using benchmarks::CriteoRecord;
using Clock = std::chrono::steady_clock;

constexpr int64_t kBatchSize = 1024;
constexpr int64_t kHidden = 96;
constexpr int kThreads = 2;
// What the yardstick reads at once: 1.25 MiB.
constexpr int64_t kChunkRecords = 8192;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The time of a processor.
double SecondsOn(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double ThreadSeconds() { return SecondsOn(CLOCK_THREAD_CPUTIME_ID); }

// Adds up what some work takes of the processors, in this process and in storage.
class ProcessorTime {
 public:
  explicit ProcessorTime(pid_t storage) { clock_getcpuclockid(storage, &storage_clock_); }

  absl::Status Take(int64_t num_samples, const std::function<absl::Status()>& work) {
    const double here = SecondsOn(CLOCK_PROCESS_CPUTIME_ID);
    const double there = SecondsOn(storage_clock_);
    RETURN_IF_ERROR(work());
    here_ += SecondsOn(CLOCK_PROCESS_CPUTIME_ID) - here;
    there_ += SecondsOn(storage_clock_) - there;
    num_samples_ += num_samples;
    return absl::OkStatus();
  }
  void Print(const char* whose) const {
    fmt::print(stderr, "{}: {:.0f} ns of processors a sample, and {:.0f} ns in storage\n", whose,
               here_ / static_cast<double>(num_samples_) * 1e9,
               there_ / static_cast<double>(num_samples_) * 1e9);
  }

 private:
  clockid_t storage_clock_ = 0;
  double here_ = 0;
  double there_ = 0;
  int64_t num_samples_ = 0;
};

// A wide and deep network (Cheng et al., 2016), as small as can be: a weight for each bucket of
// each category, and one hidden layer over the numbers.
class Trainer {
 public:
  Trainer()
      : deep_(torch::nn::Linear(CriteoRecord::kNumbers, kHidden), torch::nn::ReLU(),
              torch::nn::Linear(kHidden, 1)),
        wide_(torch::zeros({benchmarks::kCriteoBuckets}).requires_grad_()),
        optimizer_(Parameters(), torch::optim::SGDOptions(1e-3)) {}

  void Step(const torch::Tensor& numbers, const torch::Tensor& categories,
            const torch::Tensor& target) {
    optimizer_.zero_grad();
    const torch::Tensor weights =
        wide_.index_select(0, categories.reshape({-1})).view(categories.sizes());
    const torch::Tensor logits = deep_->forward(numbers).squeeze(1) + weights.sum(1);
    const torch::Tensor loss =
        torch::binary_cross_entropy_with_logits(logits, target.to(torch::kFloat32));
    loss_ += loss.item<double>();
    loss.backward();
    optimizer_.step();
    num_samples_ += numbers.size(0);
  }
  // Whether `num_samples` samples were trained on and the loss is a number.
  absl::Status Check(int64_t num_samples) const {
    if (num_samples_ == num_samples && std::isfinite(loss_)) return absl::OkStatus();
    return Internal("trained on {} samples of {}, loss {}", num_samples_, num_samples, loss_);
  }

 private:
  std::vector<torch::Tensor> Parameters() {
    std::vector<torch::Tensor> parameters = deep_->parameters();
    parameters.push_back(wide_);
    return parameters;
  }

  torch::nn::Sequential deep_;
  torch::Tensor wide_;
  torch::optim::SGD optimizer_;
  double loss_ = 0;
  int64_t num_samples_ = 0;
};

// The yardstick's loading: chunks of consecutive records, converted as cheaply as it can be done.
struct LocalBatch {
  torch::Tensor numbers;
  torch::Tensor categories;
  torch::Tensor target;
};
using LocalChunk = std::vector<LocalBatch>;

void Convert(const CriteoRecord* records, int64_t count, float* numbers, int64_t* categories,
             int64_t* target) {
  for (int64_t i = 0; i < count; ++i) {
    target[i] = records[i].label;
    for (const float number : records[i].numbers) {
      *numbers++ = static_cast<float>(std::log1p(static_cast<double>(number)));
    }
    for (const int64_t category : records[i].categories) {
      *categories++ = static_cast<int64_t>(XXH3_64bits_withSeed(&category, sizeof(category), 0) %
                                           benchmarks::kCriteoBuckets);
    }
  }
}

class LocalFiles {
 public:
  explicit LocalFiles(const std::string& folder, int64_t count) : count_(count) {
    for (int64_t from = 0; from < count; from += benchmarks::kCriteoRecordsInFile) {
      const std::string path =
          fmt::format("{}/{:03}.bin", folder, from / benchmarks::kCriteoRecordsInFile);
      files_.push_back(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    }
  }
  ~LocalFiles() {
    for (const int file : files_) ::close(file);
  }

  absl::StatusOr<LocalChunk> Read(int64_t from, int64_t to) const {
    thread_local std::vector<CriteoRecord> records(kChunkRecords);
    RETURN_IF_ERROR(ReadRecords(from, to, records.data()));
    LocalChunk chunk;
    for (int64_t at = from; at < to; at += kBatchSize) {
      const int64_t count = std::min(kBatchSize, to - at);
      LocalBatch batch{
          .numbers = torch::empty({count, CriteoRecord::kNumbers}),
          .categories = torch::empty({count, CriteoRecord::kCategories}, torch::kInt64),
          .target = torch::empty({count}, torch::kInt64)};
      Convert(records.data() + (at - from), count, batch.numbers.data_ptr<float>(),
              batch.categories.data_ptr<int64_t>(), batch.target.data_ptr<int64_t>());
      chunk.push_back(std::move(batch));
    }
    return chunk;
  }
  int64_t count() const { return count_; }

 private:
  absl::Status ReadRecords(int64_t from, int64_t to, CriteoRecord* into) const {
    while (from < to) {
      const int64_t in_file = from % benchmarks::kCriteoRecordsInFile;
      const int64_t count = std::min(to - from, benchmarks::kCriteoRecordsInFile - in_file);
      const auto bytes = count * static_cast<int64_t>(sizeof(CriteoRecord));
      if (::pread(files_[from / benchmarks::kCriteoRecordsInFile], into, bytes,
                  in_file * static_cast<int64_t>(sizeof(CriteoRecord))) != bytes) {
        return Internal("the yardstick could not read record {}", from);
      }
      into += count;
      from += count;
    }
    return absl::OkStatus();
  }

  int64_t count_;
  std::vector<int> files_;
};

absl::Status TrainLocally(const LocalFiles& files, int64_t first, int64_t count) {
  loader::ReadAhead<LocalChunk> ahead(
      {.num_threads = kThreads,
       .together = kChunkRecords,
       .expected_bytes = static_cast<int64_t>(sizeof(CriteoRecord))},
      0, count,
      [&](int64_t from, int64_t to, const std::stop_token&) {
        return files.Read(first + from, first + to);
      },
      [](const LocalChunk& chunk) {
        return std::ssize(chunk) * kBatchSize * static_cast<int64_t>(sizeof(CriteoRecord));
      });
  Trainer trainer;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<LocalChunk> chunk, ahead.Next());
    if (!chunk) break;
    for (const LocalBatch& batch : *chunk) {
      trainer.Step(batch.numbers, batch.categories, batch.target);
    }
  }
  return trainer.Check(count);
}

// How much of the yardstick's step its loading is. Both are times of a processor, which other
// programs on the machine do not change much: of one thread that loads, and of the thread that
// trains.
absl::Status PrintLoadingShare(const LocalFiles& files, int64_t count) {
  RETURN_IF_ERROR(TrainLocally(files, 0, count));
  double start = ThreadSeconds();
  RETURN_IF_ERROR(TrainLocally(files, 0, count));
  const double step = (ThreadSeconds() - start) / static_cast<double>(count);
  start = ThreadSeconds();
  for (int64_t from = 0; from < count; from += kChunkRecords) {
    ASSIGN_OR_RETURN(const LocalChunk chunk,
                     files.Read(from, std::min(from + kChunkRecords, count)));
  }
  const double loading = (ThreadSeconds() - start) / static_cast<double>(count);
  fmt::print(stderr,
             "loading a sample takes {:.0f} ns, {:.0f} % of the yardstick's step of {:.0f} ns\n",
             loading * 1e9, 100 * loading / step, step * 1e9);
  return absl::OkStatus();
}

// What our side trains on.
struct Selected {
  std::shared_ptr<const transform::Graph> graph = nullptr;
  std::shared_ptr<const loader::TrainingSet> set = nullptr;
  loader::SampleReader reader;
};

absl::StatusOr<std::unique_ptr<loader::BatchStream>> OpenStream(const Selected& selected,
                                                                int64_t seed) {
  return loader::BatchStream::Create(
      {selected.set, selected.reader, selected.graph},
      {.batch_size = kBatchSize, .shuffle = {.seed = seed, .purpose = "shuffle", .trigger = 1}},
      {.num_threads = kThreads});
}

absl::Status TrainSelected(const Selected& selected, int64_t seed) {
  ASSIGN_OR_RETURN(const auto stream, OpenStream(selected, seed));
  Trainer trainer;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, stream->Next());
    if (!batch) break;
    ASSIGN_OR_RETURN(const loader::TensorBatch tensors, loader::ToTensors(batch->rows));
    trainer.Step(tensors.input, tensors.inputs.at("input_categories"), tensors.target);
  }
  return trainer.Check(selected.set->size());
}

// Every sample once, each with the numbers and the label that its key says.
absl::Status CheckContent(const Selected& selected, int64_t first_key) {
  ASSIGN_OR_RETURN(const auto stream, OpenStream(selected, 99));
  std::vector<bool> seen(static_cast<size_t>(selected.set->size()));
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<loader::TrainingBatch> batch, stream->Next());
    if (!batch) break;
    const auto numbers = batch->rows.Find("input")->Values<float>();
    const auto categories = batch->rows.Find("input_categories")->Values<int64_t>();
    const auto target = batch->rows.Find("target")->Values<int64_t>();
    const auto ordinals = batch->rows.Find(batch::kOrdinalColumn)->Values<int64_t>();
    for (int64_t row = 0; row < batch->rows.num_rows(); ++row) {
      const int64_t key = batch->rows.keys()[row];
      const CriteoRecord record = benchmarks::MakeCriteoRecord(key - first_key);
      std::array<float, CriteoRecord::kNumbers> wanted_numbers;
      std::array<int64_t, CriteoRecord::kCategories> wanted_categories;
      int64_t label = 0;
      Convert(&record, 1, wanted_numbers.data(), wanted_categories.data(), &label);
      if (selected.set->keys[ordinals[row]] != key || label != target[row] ||
          !std::ranges::equal(wanted_numbers, numbers.subspan(row * wanted_numbers.size(),
                                                              wanted_numbers.size())) ||
          !std::ranges::equal(wanted_categories, categories.subspan(row * wanted_categories.size(),
                                                                    wanted_categories.size()))) {
        return Internal("sample {} holds something else", key);
      }
      seen[static_cast<size_t>(ordinals[row])] = true;
    }
  }
  if (std::count(seen.begin(), seen.end(), true) != selected.set->size()) {
    return Internal("samples are missing");
  }
  return absl::OkStatus();
}

// Registers the records and draws a tenth of them.
absl::StatusOr<Selected> Select(const storage::StorageClient& client, const std::string& folder,
                                int64_t count, int64_t* first_key) {
  const std::string spec = benchmarks::CriteoDatasetSpec(folder);
  rpc::v1::Command command;
  command.set_request_id("bench");
  ASSIGN_OR_RETURN(const auto registered, client.RegisterDataset("criteo", spec, command));
  const DatasetId id{registered.dataset_id()};
  const auto start = Clock::now();
  ASSIGN_OR_RETURN(const rpc::v1::Snapshot snapshot, client.SyncDataset(id, {}));
  fmt::print(stderr, "ingested {} samples in {:.1f} s\n", count, SecondsSince(start));
  std::vector<int64_t> keys;
  storage::v1::ListSamplesRequest list;
  *list.mutable_snapshot() = snapshot;
  RETURN_IF_ERROR(client.ListSamples(list, [&](const batch::Batch& listed) {
    keys.insert(keys.end(), listed.keys().begin(), listed.keys().end());
    return absl::OkStatus();
  }));
  if (std::ssize(keys) != count) return Internal("{} samples instead of {}", keys.size(), count);
  *first_key = *std::min_element(keys.begin(), keys.end());
  Selected selected{.reader = loader::ReaderOf(client, id)};
  loader::TrainingSet set;
  const Permutation draw({.seed = 1, .purpose = "selection"}, count);
  for (int64_t i = 0; i < count / 10; ++i) set.keys.push_back(keys[draw(i)]);
  std::sort(set.keys.begin(), set.keys.end());
  selected.set = std::make_shared<const loader::TrainingSet>(std::move(set));
  ASSIGN_OR_RETURN(const auto dataset, config::Read<storage::DatasetSpec>(spec, "dataset"));
  ASSIGN_OR_RETURN(const auto ops,
                   config::Read<transform::GraphSpec>(benchmarks::CriteoGraph(), "graph"));
  ASSIGN_OR_RETURN(transform::Graph graph,
                   transform::Graph::Build(ops, samples::SchemaOf(dataset)));
  selected.graph = std::make_shared<const transform::Graph>(std::move(graph));
  return selected;
}

absl::Status Run(int64_t count) {
  torch::set_num_threads(1);
  const benchmarks::BenchFolder root("train");
  storage::testing::StorageProcess process({.block_bytes = "2MiB", .root = root.path()});
  const std::string folder = process.data_folder() + "/criteo";
  RETURN_IF_ERROR(benchmarks::WriteCriteoRecords(folder, count));
  process.Start();
  const storage::StorageClient client = process.ClientAs(rpc::v1::ROLE_SERVICE);
  int64_t first_key = 0;
  ASSIGN_OR_RETURN(const Selected selected, Select(client, folder, count, &first_key));
  RETURN_IF_ERROR(CheckContent(selected, first_key));
  const LocalFiles files(folder, count);
  const int64_t trained = selected.set->size();
  RETURN_IF_ERROR(PrintLoadingShare(files, trained));
  absl::Status status;
  int64_t repetition = 0;
  ProcessorTime our_time(process.process());
  ProcessorTime local_time(process.process());
  const auto ours = [&] {
    status.Update(our_time.Take(trained, [&] { return TrainSelected(selected, repetition); }));
    return static_cast<double>(trained);
  };
  const auto yardstick = [&] {
    const int64_t first = repetition++ % 10 * trained;
    status.Update(local_time.Take(trained, [&] { return TrainLocally(files, first, trained); }));
    return static_cast<double>(trained);
  };
  const auto result = benchmarks::Measure("train_vs_local", "Msamples/s", 1e6, ours, yardstick);
  RETURN_IF_ERROR(status);
  our_time.Print("chosen");
  local_time.Print("local chunks");
  benchmarks::Report(result);
  return absl::OkStatus();
}

}  // namespace
}  // namespace tidemill

int main() {
  const absl::Status status = tidemill::Run(tidemill::benchmarks::NumSamples(10'000'000));
  if (status.ok()) return 0;
  fmt::print(stderr, "train_vs_local_bench: {}\n", std::string(status.message()));
  return 1;
}
