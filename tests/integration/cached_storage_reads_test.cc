// Rows that are kept beside a real storage service are never stale, whatever becomes of files and
// samples.
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_folder.h"
#include "config/config.h"
#include "loader/prepared/sample_cache.h"
#include "loader/testing/stream_bytes.h"
#include "samples/dataset_schema.h"
#include "storage/testing/served_dataset.h"

namespace tidemill::loader {
namespace {

using storage::testing::NewCommand;
using ::testing::Gt;
using tidemill::testing::IsOk;
using tidemill::testing::TempFolder;

constexpr int kRounds = 60;
constexpr int kFiles = 4;
constexpr int64_t kRowsOfFile = 60;

BatchPlan Once() {
  return {.batch_size = 50, .epochs = 1, .shuffle = {.seed = 7, .purpose = "shuffle"}};
}

constexpr char kSpec[] = R"(path: {}
files: "*.csv"
format: {{type: csv, header: true}}
event_time: {{column: time, format: unix}}
label: {{column: class, classes: [low, high]}}
settle: 0s
)";

constexpr char kGraph[] =
    "- parse_csv: {columns: [a], dtype: float32}\n- clip: {columns: [a], max: 500}\n"
    "- stack: {columns: all, into: input}\n- label: {into: target}\n";

// A dataset whose files and samples change, and rows that are kept of it.
class EditedFiles {
 public:
  EditedFiles() {
    std::filesystem::create_directories(Folder());
    for (int file = 0; file < kFiles; ++file) {
      for (int64_t row = 0; row < kRowsOfFile; ++row) files_[file].push_back(AnyLine());
      Write(file);
    }
    dataset_.Register({.name = "edited", .folder = Folder(), .spec = fmt::format(kSpec, Folder())});
    const auto known = dataset_.service.GetDataset("edited");
    EXPECT_THAT(known, IsOk());
    const auto spec = config::ReadKept<storage::DatasetSpec>(known->spec(), "dataset");
    EXPECT_THAT(spec, IsOk());
    const auto graph = config::Read<transform::GraphSpec>(kGraph, "graph");
    EXPECT_THAT(graph, IsOk());
    graph_ = std::make_shared<const transform::Graph>(
        *transform::Graph::Build(*graph, samples::SchemaOf(*spec)));
    NoteKeys();
  }

  // Changes, deletes or restores lines of a file, or deletes samples.
  void Edit() {
    if (random_() % 4 == 0) {
      std::vector<int64_t> keys;
      for (int i = 0; i < 3; ++i) keys.push_back(seen_[random_() % seen_.size()]);
      EXPECT_THAT(dataset_.operate.DeleteSamples(dataset_.id, keys, NewCommand()), IsOk());
      return;
    }
    const int file = static_cast<int>(random_() % kFiles);
    std::vector<std::string>& lines = files_[file];
    if (random_() % 4 == 0 && before_.contains(file)) {
      std::swap(lines, before_[file]);
    } else {
      before_[file] = lines;
      for (int i = 0; i < 6; ++i) lines[random_() % lines.size()] = AnyLine();
      if (random_() % 2 == 0) lines.erase(lines.begin() + static_cast<int>(random_() % 10));
      if (random_() % 2 == 0) lines.push_back(AnyLine());
    }
    Write(file);
    dataset_.Sync();
    NoteKeys();
  }

  // Whether a pass over all samples that there ever were is the same with a cache.
  bool IsRight() {
    TrainingSet set{.keys = seen_};
    BatchParts parts{.set = std::make_shared<const TrainingSet>(std::move(set)),
                     .reader = ReaderOf(dataset_.service, dataset_.id),
                     .graph = graph_};
    const std::vector<std::string> expected = testing::BytesOf(parts, Once());
    auto cache = SampleCache::Create(
        {.mode = CacheMode::kAfter,
         .after_op = static_cast<int>(random_() % 3),
         .store = prepared::HostStore::Open(
             {.disk_folder = kept_.path() + "/kept", .disk_bytes = int64_t{8} << 20}),
         .graph = graph_,
         .identify =
             [this](std::span<const int64_t> keys) {
               return dataset_.service.FindIdentities(dataset_.id, keys);
             },
         .num_samples = parts.set->size()});
    EXPECT_THAT(cache, IsOk());
    parts.cache = *std::move(cache);
    const bool is_right = testing::BytesOf(parts, Once()) == expected;
    num_reads_ += parts.set->size();
    num_found_ += parts.cache->report().counts.found;
    return is_right;
  }

  int64_t num_reads() const { return num_reads_; }
  int64_t num_found() const { return num_found_; }

 private:
  std::string Folder() const { return dataset_.process.data_folder() + "/edited"; }

  std::string AnyLine() {
    return fmt::format("{},{},{}\n", 1'700'000'000 + random_() % 1000, random_() % 1000,
                       random_() % 2 == 0 ? "low" : "high");
  }

  void Write(int file) {
    std::string text = "time,a,class\n";
    for (const std::string& line : files_[file]) text += line;
    EXPECT_THAT(files::WriteAtomically(fmt::format("{}/{}.csv", Folder(), file), text), IsOk());
  }

  void NoteKeys() {
    for (const int64_t key : dataset_.SortedKeys()) {
      if (known_.insert(key).second) seen_.push_back(key);
    }
  }

  std::mt19937 random_{11};
  TempFolder kept_;
  storage::testing::Storage dataset_;
  std::map<int, std::vector<std::string>> files_;
  std::map<int, std::vector<std::string>> before_;
  std::shared_ptr<const transform::Graph> graph_;
  std::set<int64_t> known_;
  std::vector<int64_t> seen_;
  int64_t num_reads_ = 0;
  int64_t num_found_ = 0;
};

TEST(CachedStorageReads, EqualThoseWithoutACacheOverRandomEditsOfFilesAndSamples) {
  EditedFiles files;
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_TRUE(files.IsRight()) << "round " << round;
    files.Edit();
  }
  EXPECT_THAT(files.num_found(), Gt(files.num_reads() / 4));
}

}  // namespace
}  // namespace tidemill::loader
