// A row that is kept is never stale: each read through the cache is compared by content with one
// without it, while records, graphs, settings, plug-ins, datasets and fitted states change between
// the reads.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/digest.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "config/documents/problems.h"
#include "config/named_files.h"
#include "loader/prepared/sample_cache.h"
#include "loader/testing/stream_bytes.h"
#include "prepared/host_store.h"
#include "transform/cut_graph.h"
#include "transform/fitter.h"
#include "transform/ops/op_list.h"

namespace tidemill::loader {
namespace {

using loader::testing::BytesOf;
using ::testing::Gt;
using tidemill::testing::IsOk;
using tidemill::testing::TempFolder;

constexpr int64_t kNumReads = 100'000;
constexpr int64_t kNumKeys = 400;
constexpr int64_t kFirstKey = 1000;

using Random = std::mt19937;

int64_t Draw(Random& random, int64_t below) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(below));
}
bool Happens(Random& random, int64_t percent) { return Draw(random, 100) < percent; }

struct Record {
  int64_t value = 0;
  int64_t label = 0;
  int64_t time = 0;

  bool IsBad() const { return value % 17 == 0; }
  // The text of a bad one is not a number.
  std::string Payload() const { return IsBad() ? "none,x" : fmt::format("{},x", value); }
  // As storage has it: a digest of bytes, time and label, and of nothing else.
  uint64_t Identity() const {
    const std::string digest = Sha256(fmt::format("{} {} {}", Payload(), time, label));
    return std::stoull(digest.substr(0, 15), nullptr, 16) + 1;
  }
};

Record AnyRecord(Random& random) {
  return {.value = Draw(random, 60'000), .label = Draw(random, 5), .time = Draw(random, 1'000'000)};
}

// The samples of a dataset, which change under the reader.
class EditedDataset {
 public:
  explicit EditedDataset(Random& random) {
    for (int64_t i = 0; i < kNumKeys; ++i) records_[kFirstKey + i] = AnyRecord(random);
  }

  // Returns the key of a sample that was deleted.
  std::optional<int64_t> Edit(Random& random) {
    const int64_t key = kFirstKey + Draw(random, kNumKeys);
    const auto known = records_.find(key);
    if (known == records_.end()) {
      // It is ingested again, as it was or otherwise.
      records_[key] = Happens(random, 50) ? deleted_.at(key) : AnyRecord(random);
      return std::nullopt;
    }
    if (Happens(random, 30)) {
      deleted_[key] = known->second;
      records_.erase(known);
      return key;
    }
    Record& record = known->second;
    const Record other = AnyRecord(random);
    switch (Draw(random, 4)) {
      case 0:
        record.value = other.value;
        break;
      case 1:
        record.label = other.label;
        break;
      case 2:
        record.time = other.time;
        break;
      default:
        record = other;
    }
    return std::nullopt;
  }

  int64_t NumBad() const {
    return std::ranges::count_if(records_, [](const auto& one) { return one.second.IsBad(); });
  }

  SampleReader reader() const {
    return [this](std::span<const int64_t> keys, const SampleSink& sink) -> absl::Status {
      for (size_t from = 0; from < keys.size(); from += kBlock) {
        RETURN_IF_ERROR(ReadBlock(keys.subspan(from, std::min(kBlock, keys.size() - from)), sink));
      }
      return absl::OkStatus();
    };
  }

  FindIdentities identify() const {
    return [this](std::span<const int64_t> keys) -> absl::StatusOr<std::vector<uint64_t>> {
      std::vector<uint64_t> identities;
      for (const int64_t key : keys) {
        const auto found = records_.find(key);
        identities.push_back(found == records_.end() ? 0 : found->second.Identity());
      }
      return identities;
    };
  }

 private:
  static constexpr size_t kBlock = 37;

  absl::Status ReadBlock(std::span<const int64_t> keys, const SampleSink& sink) const {
    std::vector<int64_t> found, labels, times;
    std::vector<std::string> texts;
    std::vector<Unreadable> missing;
    for (const int64_t key : keys) {
      const auto known = records_.find(key);
      if (known == records_.end()) {
        missing.push_back({key, "deleted", true});
        continue;
      }
      found.push_back(key);
      labels.push_back(known->second.label);
      times.push_back(known->second.time);
      texts.push_back(known->second.Payload());
    }
    const std::vector<std::string_view> payloads(texts.begin(), texts.end());
    batch::Batch samples(std::ssize(found));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, found)));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)));
    RETURN_IF_ERROR(samples.Set(batch::MakeColumn<int64_t>(batch::kClassLabelColumn, labels)));
    RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn("payload", payloads)));
    return sink(std::move(samples), std::move(missing));
  }

  std::map<int64_t, Record> records_;
  std::map<int64_t, Record> deleted_;
};

// The file of a plug-in as its author has it at the moment.
class ChangedPlugin final : public config::NamedFiles {
 public:
  explicit ChangedPlugin(int version) : version_(version) {}
  std::optional<std::string> Read(const std::string& /*name*/, size_t /*most*/,
                                  std::string_view /*key*/,
                                  config::Problems& /*problems*/) override {
    return fmt::format(
        "from tidemill import plugin\n\n\n"
        "class Times(plugin.Op):\n"
        "    def outputs(self, inputs):\n"
        "        return [plugin.ColumnType('a', 'float32')]\n\n"
        "    def apply(self, block):\n"
        "        return {{'a': block['a'] * {}}}\n",
        version_);
  }

 private:
  const int version_;
};

// A graph with what it has learned, and the ops after which rows may be kept.
struct Variant {
  std::shared_ptr<const transform::Graph> graph;
  std::shared_ptr<const transform::FittedState> fitted;
  std::vector<int> ops;
};

std::shared_ptr<const transform::Graph> BuildGraph(const std::string& text, int plugin_version) {
  auto spec = config::Read<transform::GraphSpec>(text, "graph");
  EXPECT_THAT(spec, IsOk());
  ChangedPlugin file(plugin_version);
  config::Problems problems;
  for (auto& op : *spec) op.value->TakeFiles(file, problems);
  EXPECT_THAT(problems.ToStatus(), IsOk());
  transform::SampleSchema schema;
  schema.columns = {"a", "b"};
  schema.label = transform::LabelKind::kClass;
  auto graph = transform::Graph::Build(*spec, schema);
  EXPECT_THAT(graph, IsOk());
  return std::make_shared<const transform::Graph>(*std::move(graph));
}

// `middle` is the op that differs; plug-ins have a version.
Variant VariantOf(const std::string& middle, int plugin_version = 0) {
  Variant variant;
  variant.graph = BuildGraph("- parse_csv: {columns: [a]}\n" + middle +
                                 "- stack: {columns: [a], into: input}\n- label: {into: target}\n",
                             plugin_version);
  for (const auto& point : transform::CutPointsOf(*variant.graph)) {
    variant.ops.push_back(point.last_op);
  }
  return variant;
}

std::shared_ptr<const transform::FittedState> Learn(const transform::Graph& graph,
                                                    const EditedDataset& dataset,
                                                    std::vector<int64_t> keys) {
  transform::Fitter fitter(graph);
  for (int pass = 0; pass < fitter.num_passes(); ++pass) {
    EXPECT_THAT(
        dataset.reader()(keys, [&](const batch::Batch& samples,
                                   const std::vector<Unreadable>&) { return fitter.Add(samples); }),
        IsOk());
    EXPECT_THAT(fitter.EndPass(), IsOk());
  }
  return std::make_shared<const transform::FittedState>(*fitter.Finish());
}

std::vector<Variant> Variants(const EditedDataset& dataset) {
  std::vector<Variant> variants;
  for (const char* const most : {"20000", "20001", "40000"}) {
    variants.push_back(VariantOf(fmt::format("- clip: {{columns: [a], max: {}}}\n", most)));
  }
  variants.push_back(VariantOf("- clip: {columns: [a], min: 20000}\n"));
  variants.push_back(VariantOf("- cast: {columns: [a], dtype: float64}\n"));
  for (const char* const least : {"10000", "30000"}) {
    variants.push_back(VariantOf(fmt::format("- filter: a > {}\n", least)));
  }
  for (const int version : {2, 3}) {
    variants.push_back(VariantOf("- plugin: {use: \"times.py:Times\", columns: [a]}\n", version));
  }
  variants.push_back(
      VariantOf("- reshape: {column: a, shape: [1, 1]}\n"
                "- random_crop: {column: a, height: 1, width: 1, padding: 1, into: a}\n"
                "- reshape: {column: a, shape: [1]}\n"));
  for (int64_t state = 0; state < 3; ++state) {
    Variant variant = VariantOf("- standardize: {columns: all}\n");
    std::vector<int64_t> keys;
    for (int64_t i = 0; i < 100; ++i) keys.push_back(kFirstKey + state * 100 + i);
    variant.fitted = Learn(*variant.graph, dataset, std::move(keys));
    variants.push_back(std::move(variant));
  }
  return variants;
}

// Reads of two datasets of the same keys, by any graph, through caches that live for one read or
// for many, as those of other processes do.
class EditedReads {
 public:
  explicit EditedReads(FindIdentities (*identify)(const EditedDataset&)) : identify_(identify) {
    for (int i = 0; i < 2; ++i) datasets_.emplace_back(random_);
    variants_ = Variants(datasets_[0]);
    TrainingSet set;
    // Some occur twice.
    for (int64_t i = 0; i < kNumKeys; ++i) set.keys.push_back(kFirstKey + i * 7 % 390);
    set_ = std::make_shared<const TrainingSet>(std::move(set));
  }

  void Edit() {
    for (int64_t left = Draw(random_, 12); left > 0; --left) {
      EditedDataset& edited = datasets_[static_cast<size_t>(Draw(random_, 2))];
      const auto deleted = edited.Edit(random_);
      // Storage wipes the rows of its own host, and other hosts keep theirs.
      if (deleted && Happens(random_, 50)) {
        EXPECT_THAT(prepared::WipeKeys(std::vector{Memory(), Disk()}, std::vector{*deleted}),
                    IsOk());
      }
    }
    if (Happens(random_, 35)) variant_ = static_cast<size_t>(Draw(random_, NumVariants()));
    if (Happens(random_, 35)) dataset_ = static_cast<size_t>(Draw(random_, 2));
    if (Happens(random_, 5)) FlipAByte();
  }

  // Whether a pass with a cache equals one without it.
  bool IsRight() {
    const Variant& variant = variants_[variant_];
    const EditedDataset& dataset = datasets_[dataset_];
    const BatchPlan plan = {
        .batch_size = 1 + Draw(random_, 60),
        .epochs = 1,
        .shuffle = {.seed = Draw(random_, 1000), .purpose = "shuffle", .trigger = 3}};
    BatchParts parts{
        .set = set_, .reader = dataset.reader(), .graph = variant.graph, .fitted = variant.fitted};
    const std::vector<std::string> expected = BytesOf(parts, plan);
    const int op = variant.ops[static_cast<size_t>(Draw(random_, std::ssize(variant.ops)))];
    parts.cache = CacheOf(variant, dataset, op);
    const int64_t found_before = parts.cache->report().counts.found;
    const std::vector<std::string> got = BytesOf(parts, plan);
    num_found_ += parts.cache->report().counts.found - found_before;
    num_reads_ += set_->size();
    return got == expected;
  }

  int64_t num_reads() const { return num_reads_; }
  int64_t num_found() const { return num_found_; }

 private:
  std::string Memory() const { return folder_.path() + "/memory"; }
  std::string Disk() const { return folder_.path() + "/disk"; }
  int64_t NumVariants() const { return std::ssize(variants_); }

  std::shared_ptr<const prepared::HostStore> OpenStore() {
    prepared::HostStoreOptions options{.memory_folder = Memory(),
                                       .memory_bytes = int64_t{2} << 20,
                                       .disk_folder = Disk(),
                                       .disk_bytes = int64_t{16} << 20};
    switch (Draw(random_, 4)) {
      case 0:
        options.memory_bytes = 0;
        break;
      case 1:
        options.disk_bytes = 0;
        break;
      default:
        break;
    }
    return prepared::HostStore::Open(options);
  }

  std::shared_ptr<SampleCache> CacheOf(const Variant& variant, const EditedDataset& dataset,
                                       int op) {
    std::shared_ptr<SampleCache>& kept = caches_[{variant_, dataset_, op}];
    if (kept != nullptr && Happens(random_, 60)) return kept;
    auto cache = SampleCache::Create({.mode = CacheMode::kAfter,
                                      .after_op = op,
                                      .store = OpenStore(),
                                      .graph = variant.graph,
                                      .fitted = variant.fitted,
                                      .identify = identify_(dataset),
                                      .num_samples = set_->size(),
                                      .uses = static_cast<double>(1 + Draw(random_, 4))});
    EXPECT_THAT(cache, IsOk());
    kept = *std::move(cache);
    return kept;
  }

  void FlipAByte() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".rows") files.push_back(entry.path().string());
    }
    if (files.empty()) return;
    const std::string& path = files[static_cast<size_t>(Draw(random_, std::ssize(files)))];
    const auto size = static_cast<int64_t>(std::filesystem::file_size(path));
    if (size == 0) return;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const int64_t at = Draw(random_, size);
    file.seekg(at);
    const char byte = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(byte ^ 0x20));
  }

  Random random_{20'240'611};
  FindIdentities (*const identify_)(const EditedDataset&);
  TempFolder folder_;
  std::vector<EditedDataset> datasets_;
  std::vector<Variant> variants_;
  std::shared_ptr<const TrainingSet> set_;
  std::map<std::tuple<size_t, size_t, int>, std::shared_ptr<SampleCache>> caches_;
  size_t variant_ = 0;
  size_t dataset_ = 0;
  int64_t num_reads_ = 0;
  int64_t num_found_ = 0;
};

TEST(CachedReads, EqualThoseWithoutACacheOverRandomEditsOfAllThatRowsDependOn) {
  EditedReads reads([](const EditedDataset& dataset) { return dataset.identify(); });
  while (reads.num_reads() < kNumReads) {
    reads.Edit();
    ASSERT_TRUE(reads.IsRight()) << "after " << reads.num_reads() << " reads";
  }
  // Otherwise nothing would have been compared.
  EXPECT_THAT(reads.num_found(), Gt(kNumReads / 3));
  std::printf("%ld samples read, %ld found prepared\n", static_cast<long>(reads.num_reads()),
              static_cast<long>(reads.num_found()));
}

// A plug-in that fails on a sample may make it the next time.
TEST(CachedReads, BadSamplesOfPluginsAreMadeAgainEachTime) {
  Random random(3);
  const EditedDataset dataset(random);
  TempFolder folder;
  TrainingSet set;
  for (int64_t i = 0; i < kNumKeys; ++i) set.keys.push_back(kFirstKey + i);
  const Variant with = VariantOf("- plugin: {use: \"times.py:Times\", columns: [a]}\n", 2);
  const Variant without = VariantOf("- clip: {columns: [a], min: 3}\n");
  for (const Variant* const variant : {&with, &without}) {
    BatchParts parts{.set = std::make_shared<const TrainingSet>(set),
                     .reader = dataset.reader(),
                     .graph = variant->graph};
    parts.cache = *SampleCache::Create(
        {.mode = CacheMode::kAfter,
         .after_op = 1,
         .store = prepared::HostStore::Open(
             {.disk_folder = folder.path() + "/kept", .disk_bytes = int64_t{1} << 20}),
         .graph = parts.graph,
         .identify = dataset.identify(),
         .num_samples = kNumKeys});
    BytesOf(parts, {.batch_size = 50, .epochs = 2, .shuffle = {.seed = 7, .purpose = "shuffle"}});
    const prepared::StoreCounts counts = parts.cache->report().counts;
    EXPECT_EQ(counts.kept + dataset.NumBad(),
              variant == &with ? kNumKeys : kNumKeys + dataset.NumBad());
    EXPECT_EQ(counts.found, counts.kept);
  }
}

TEST(CachedReads, DifferWhereTheIdentityOfARecordForgetsItsContent) {
  EditedReads reads([](const EditedDataset& dataset) -> FindIdentities {
    return [find = dataset.identify()](std::span<const int64_t> keys) {
      auto identities = find(keys);
      for (uint64_t& identity : *identities) identity = identity == 0 ? 0 : 1;
      return identities;
    };
  });
  bool is_right = true;
  while (is_right && reads.num_reads() < kNumReads) {
    reads.Edit();
    is_right = reads.IsRight();
  }
  EXPECT_FALSE(is_right) << "a stale row was not seen";
}

}  // namespace
}  // namespace tidemill::loader
