// Registering, ingesting and deleting on a real PostgreSQL, compared by content.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "gmock/gmock.h"

#include "base/failpoints.h"
#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "db/testing/postgres.h"
#include "storage/dataset_catalog.h"
#include "storage/ingestor.h"
#include "storage/migrations.h"
#include "storage/sample_index.h"
#include "storage/segment_columns.h"
#include "storage/testing/data_folder.h"
#include "storage/watcher.h"

namespace tidemill::storage {
namespace {

using testing::DataFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using tidemill::testing::IsOk;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::StatusIs;

// A storage service without its gRPC face.
class Stack {
 public:
  Stack(const std::string& connection_string, const DataFolder& data, const std::string& state,
        int num_parsers, IngestorOptions options = {}) {
    auto database = db::Database::Connect(connection_string);
    EXPECT_THAT(database, IsOk());
    database_ = *std::move(database);
    EXPECT_THAT(db::Migrate(*database_, "storage", Migrations()), IsOk());
    auto cache = UnpackedCache::Create({.folder = state + "/unpacked"});
    EXPECT_THAT(cache, IsOk());
    cache_ = *std::move(cache);
    catalog_ = std::make_unique<DatasetCatalog>(
        *database_, *cache_, CatalogOptions{.folder = state, .allowed_roots = {data.path()}});
    options.num_parsers = num_parsers;
    options.settle = {0};
    ingestor_ = std::make_unique<Ingestor>(*database_, *catalog_, *cache_, options);
  }

  db::Database& database() { return *database_; }
  UnpackedCache& cache() { return *cache_; }
  DatasetCatalog& catalog() { return *catalog_; }
  Ingestor& ingestor() { return *ingestor_; }

 private:
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<UnpackedCache> cache_;
  std::unique_ptr<DatasetCatalog> catalog_;
  std::unique_ptr<Ingestor> ingestor_;
};

// Counter of the key, "file:position", bytes as the column file finds them, class.
struct Found {
  int64_t counter;
  std::string place;
  std::string bytes;
  int64_t label;

  friend bool operator==(const Found&, const Found&) = default;
  friend void PrintTo(const Found& found, std::ostream* out) {
    *out << found.counter << " " << found.place << " '" << found.bytes << "' " << found.label;
  }
};

class IngestTest : public ::testing::Test {
 protected:
  IngestTest() { Restart(2); }

  void Restart(int num_parsers, IngestorOptions options = {}) {
    stack_ = std::make_unique<Stack>(database_.connection_string(), data_, state_.path(),
                                     num_parsers, options);
  }

  std::string SpecText(const std::string& rest = "") const {
    return "path: " + data_.path() +
           "\nfiles: \"*.csv\"\nformat: csv\nlabel: {column: y}\n"
           "event_time: {column: t, format: unix}\n" +
           rest;
  }

  DatasetId Register(const std::string& spec) {
    const auto registered = stack_->catalog().Register("", "d", spec, {});
    EXPECT_THAT(registered, IsOk());
    return registered->id;
  }

  DatasetSnapshot Sync(DatasetId id) {
    const auto snapshot = stack_->ingestor().Sync(id, /*wait=*/true, {});
    EXPECT_THAT(snapshot, IsOk());
    return snapshot.value_or(DatasetSnapshot{});
  }

  std::vector<std::vector<std::string>> Query(const std::string& sql) {
    std::vector<std::vector<std::string>> rows;
    EXPECT_THAT(stack_->database().Transact([&](pqxx::work& work) {
      rows.clear();
      for (const pqxx::row& row : work.exec(sql)) {
        rows.emplace_back();
        for (const pqxx::field& field : row) {
          rows.back().push_back(field.is_null() ? "null" : field.c_str());
        }
      }
      return absl::OkStatus();
    }),
                IsOk());
    return rows;
  }

  // All samples that are not deleted, through the column files, checked against PostgreSQL's rows.
  std::vector<Found> Samples() {
    std::vector<Found> samples;
    for (const auto& row : Query(R"(
        SELECT s.sample_key & ((1::bigint << 44) - 1), f.path, s.position, s.class_label,
               (extract(epoch FROM s.event_time) * 1000000)::bigint, g.segment_id,
               s.sample_key - g.first_key, s.dataset_id
        FROM storage.samples s JOIN storage.files f USING (file_id)
        JOIN storage.segments g ON g.dataset_id = s.dataset_id AND s.sample_key >= g.first_key
                                AND s.sample_key < g.first_key + g.num_samples
        WHERE NOT EXISTS (SELECT 1 FROM storage.tombstones t WHERE t.sample_key = s.sample_key)
        ORDER BY s.sample_key)")) {
      const auto columns =
          OpenSegmentColumns(SegmentPath(state_.path(), {std::stoll(row[7])}, std::stoll(row[5])));
      EXPECT_THAT(columns, IsOk());
      const auto at = static_cast<size_t>(std::stoll(row[6]));
      EXPECT_EQ(columns->event_time[at], std::stoll(row[4]));
      EXPECT_EQ(columns->class_label->Values<int64_t>()[at], std::stoll(row[3]));
      const auto file = stack_->cache().Open(row[1]);
      EXPECT_THAT(file, IsOk());
      std::string bytes(static_cast<size_t>(columns->byte_to[at] - columns->byte_from[at]), '\0');
      EXPECT_THAT(file->ReadAt(columns->byte_from[at], bytes.data(), bytes.size()), IsOk());
      const std::string name = std::filesystem::path(row[1]).filename().string();
      samples.push_back({std::stoll(row[0]), name + ":" + row[2], bytes, std::stoll(row[3])});
    }
    return samples;
  }

  // Runs a sync in a process of its own that is to be killed there.
  void SyncAndDieAt(DatasetId id, const std::string& failpoint) {
    const pid_t child = fork();
    if (child == 0) {
      Stack stack(database_.connection_string(), data_, state_.path(), 2);
      const bool armed = failpoints::Arm(failpoint + "=kill").ok();
      const bool synced = armed && stack.ingestor().Sync(id, true, {}).ok();
      _exit(synced ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << failpoint << " " << status;
  }

  void LoseColumnFiles(DatasetId id) {
    ASSERT_THAT(files::Remove(SegmentFolder(state_.path(), id)), IsOk());
    ASSERT_THAT(files::CreateFolder(SegmentFolder(state_.path(), id)), IsOk());
  }

  // What the read side makes of the dataset, with nothing in memory yet.
  absl::StatusOr<int64_t> NumIndexedRows(DatasetId id) {
    SampleIndex index(stack_->database(), stack_->catalog(), stack_->cache());
    ASSIGN_OR_RETURN(const auto loaded, index.Refresh(id));
    return loaded->num_rows();
  }

  size_t NumColumnFiles(DatasetId id) const {
    const std::filesystem::directory_iterator entries(SegmentFolder(state_.path(), id));
    return static_cast<size_t>(std::distance(begin(entries), end(entries)));
  }

  db::testing::TestDatabase database_;
  DataFolder data_, state_;
  std::unique_ptr<Stack> stack_;
};

TEST_F(IngestTest, FilesBecomeSamplesInTheOrderOfTheirPaths) {
  data_.Write("b.csv", "t,y,x\n10,1,p\n20,0,q\n");
  data_.Write("a.csv", "t,y,x\n30,1,r\n");
  const DatasetId id = Register(SpecText());
  const DatasetSnapshot snapshot = Sync(id);
  EXPECT_THAT(Samples(),
              ElementsAre(Found{1, "a.csv:0", "30,1,r", 1}, Found{2, "b.csv:0", "10,1,p", 1},
                          Found{3, "b.csv:1", "20,0,q", 0}));
  EXPECT_EQ(snapshot.committed_key & ((int64_t{1} << kSlotShift) - 1), 3);
  const auto counts = stack_->catalog().Count(id);
  ASSERT_THAT(counts, IsOk());
  EXPECT_EQ(counts->num_samples, 3);
  EXPECT_EQ(counts->num_files, 2);
  EXPECT_EQ(counts->first_event_time, (Timestamp{10'000'000}));
  EXPECT_EQ(counts->last_event_time, (Timestamp{30'000'000}));
  EXPECT_THAT(stack_->catalog().Find(id)->spec_text, HasSubstr("columns: [t, y, x]"));
}

TEST_F(IngestTest, AnotherSyncOfTheSameFilesWritesNothing) {
  data_.Write("a.csv", "t,y\n1,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  const auto before = Query("SELECT xmin, version FROM storage.files");
  Sync(id);
  EXPECT_EQ(Query("SELECT xmin, version FROM storage.files"), before);
  EXPECT_THAT(Samples(), SizeIs(1));
}

TEST_F(IngestTest, KeysDoNotDependOnTheNumberOfParsers) {
  for (int file = 0; file < 30; ++file) {
    std::string text = "t,y\n";
    for (int row = 0; row < 1 + (file * 7) % 40; ++row) {
      text += std::to_string(1000 * file + row) + (row % 9 == 8 ? ",bad\n" : ",1\n");
    }
    data_.Write("f" + std::to_string(file) + ".csv", text);
  }
  const IngestorOptions small{.files_per_batch = 7, .samples_per_segment = 13};
  Restart(1, small);
  Sync(Register(SpecText()));
  const std::vector<Found> by_one = Samples();
  ASSERT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(true));
  Restart(4, small);
  Sync(Register(SpecText()));
  EXPECT_EQ(Samples(), by_one);
  EXPECT_GT(by_one.size(), 400U);
}

TEST_F(IngestTest, AnAppendedLineIsOneNewSample) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,");
  const DatasetId id = Register(SpecText("append: true\n"));
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(2));
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n4,");
  const DatasetSnapshot snapshot = Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:0", "1,1", 1}, Found{2, "a.csv:1", "2,0", 0},
                                     Found{3, "a.csv:2", "3,1", 1}));
  EXPECT_EQ(snapshot.tombstone_sequence, 0);
  EXPECT_THAT(Query("SELECT num_samples, first_position FROM storage.segments ORDER BY first_key"),
              ElementsAre(ElementsAre("3", "0")));
  EXPECT_EQ(NumColumnFiles(id), 1U);
}

TEST_F(IngestTest, AGrownFileWhoseBeginningChangedIsComparedAsAWhole) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const DatasetId id = Register(SpecText("append: true\n"));
  Sync(id);
  data_.Write("a.csv", "t,y\n5,1\n1,1\n2,0\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:1", "1,1", 1}, Found{2, "a.csv:2", "2,0", 0},
                                     Found{3, "a.csv:0", "5,1", 1}));
}

TEST_F(IngestTest, AChangedRowIsOneNewAndOneDeletedSampleAndTheRestKeepTheirKeys) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n2,0\n3,1\n4,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Write("a.csv", "t,y\n4,1\n1,1\n2,0\n33,1\n2,0\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:1", "1,1", 1}, Found{2, "a.csv:2", "2,0", 0},
                                     Found{3, "a.csv:4", "2,0", 0}, Found{5, "a.csv:0", "4,1", 1},
                                     Found{6, "a.csv:3", "33,1", 1}));
  EXPECT_THAT(Query("SELECT sample_key & 255 FROM storage.tombstones"),
              ElementsAre(ElementsAre("4")));
  EXPECT_THAT(Query("SELECT version FROM storage.files"), ElementsAre(ElementsAre("2")));
  // What came back is new: a deleted sample stays deleted.
  data_.Write("a.csv", "t,y\n3,1\n4,1\n1,1\n2,0\n33,1\n2,0\n");
  Sync(id);
  EXPECT_EQ(Samples().back(), (Found{7, "a.csv:0", "3,1", 1}));
  EXPECT_THAT(Samples(), SizeIs(6));
}

TEST_F(IngestTest, AVanishedFileTakesItsSamplesAlongButAnEmptyFolderTakesNothing) {
  data_.Write("a.csv", "t,y\n1,1\n");
  data_.Write("b.csv", "t,y\n2,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Remove("a.csv");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{2, "b.csv:0", "2,1", 1}));
  data_.Remove("b.csv");
  EXPECT_THAT(stack_->ingestor().Sync(id, true, {}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("mounted")));
  data_.Write("a.csv", "t,y\n1,1\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{3, "a.csv:0", "1,1", 1}));
}

TEST_F(IngestTest, BadRecordsAndFilesAreQuarantinedUntilTheyAreMended) {
  data_.Write("a.csv", "t,y\n1,1\nnoon,1\n3,1\n");
  data_.Write("b.csv", "t,z\n1,1\n");
  data_.Write("c.csv", "t,y\n1,\xff\n2,x\n3,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(Samples(), SizeIs(2));
  const auto entries = stack_->catalog().ListQuarantine(id, 0);
  ASSERT_THAT(entries, IsOk());
  ASSERT_THAT(*entries, SizeIs(3));
  EXPECT_EQ((*entries)[0].path, data_.path() + "/a.csv");
  EXPECT_EQ((*entries)[0].position, 1);
  EXPECT_THAT((*entries)[0].reason, HasSubstr("'noon'"));
  EXPECT_EQ((*entries)[1].position, std::nullopt);
  EXPECT_THAT((*entries)[1].reason, HasSubstr("[t, z]"));
  EXPECT_THAT((*entries)[2].reason, HasSubstr("2 of 3 records are bad"));
  EXPECT_THAT(*stack_->catalog().ListQuarantine(id, 1), SizeIs(1));
  data_.Write("b.csv", "t,y\n1,1\n");
  data_.Write("a.csv", "t,y\n1,1\n2,1\n3,1\n");
  Sync(id);
  EXPECT_THAT(*stack_->catalog().ListQuarantine(id, 0), SizeIs(1));
  EXPECT_THAT(Samples(), SizeIs(4));
}

TEST_F(IngestTest, AKillAtAnyStageLosesNothingAndRepeatsNothing) {
  const DatasetId id = Register(SpecText());
  int round = 0;
  std::vector<Found> expected;
  for (const char* const failpoint :
       {"storage.ingest_before_copy", "storage.ingest_after_copy", "storage.ingest_before_commit",
        "storage.ingest_after_commit"}) {
    const std::string name = "f" + std::to_string(round++) + ".csv";
    data_.Write(name, "t,y\n1,1\n2,0\n");
    expected.push_back({std::ssize(expected) + 1, name + ":0", "1,1", 1});
    expected.push_back({std::ssize(expected) + 1, name + ":1", "2,0", 0});
    SyncAndDieAt(id, failpoint);
    Restart(2);
    Sync(id);
    EXPECT_EQ(Samples(), expected) << failpoint;
    EXPECT_EQ(NumColumnFiles(id), static_cast<size_t>(round)) << failpoint;
  }
}

TEST_F(IngestTest, AKillWhileAFileIsReplacedChangesNothingOrEverything) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n3,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Write("a.csv", "t,y\n3,1\n1,1\n4,1\n");
  for (const char* const failpoint : {"storage.ingest_before_copy", "storage.ingest_before_commit",
                                      "storage.ingest_after_commit"}) {
    SyncAndDieAt(id, failpoint);
  }
  Restart(2);
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:1", "1,1", 1}, Found{3, "a.csv:0", "3,1", 1},
                                     Found{4, "a.csv:2", "4,1", 1}));
}

TEST_F(IngestTest, LostColumnFilesAreRebuiltAsTheyWere) {
  data_.Write("a.csv", "t,y\n1,1\nbad,1\n3,0\n4,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Write("a.csv", "t,y\n3,0\n5,0\nbad,1\n1,1\n");
  Sync(id);
  const DatasetSpec spec = stack_->catalog().Find(id)->spec;
  const auto segments = Query("SELECT segment_id FROM storage.segments ORDER BY first_key");
  ASSERT_THAT(segments, SizeIs(2));
  for (const auto& row : segments) {
    const std::string path = SegmentPath(state_.path(), id, std::stoll(row[0]));
    const auto before = OpenSegmentColumns(path);
    ASSERT_THAT(before, IsOk());
    ASSERT_THAT(files::Remove(path), IsOk());
    ASSERT_THAT(RebuildSegmentColumns(stack_->database(), stack_->cache(), state_.path(), spec, id,
                                      std::stoll(row[0])),
                IsOk());
    const auto after = OpenSegmentColumns(path);
    ASSERT_THAT(after, IsOk());
    EXPECT_TRUE(std::ranges::equal(after->byte_from, before->byte_from));
    EXPECT_TRUE(std::ranges::equal(after->byte_to, before->byte_to));
    EXPECT_TRUE(std::ranges::equal(after->event_time, before->event_time));
  }
  data_.Write("a.csv", "t,y\n3,0\n");
  EXPECT_THAT(RebuildSegmentColumns(stack_->database(), stack_->cache(), state_.path(), spec, id,
                                    std::stoll(segments[0][0])),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("changed")));
}

TEST_F(IngestTest, AColumnFileLostAfterItsFileVanishedIsRebuilt) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  data_.Write("b.csv", "t,y\n3,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  data_.Remove("a.csv");
  Sync(id);
  LoseColumnFiles(id);
  EXPECT_THAT(NumIndexedRows(id), IsOkAndHolds(3));
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{3, "b.csv:0", "3,1", 1}));
  EXPECT_THAT(*stack_->catalog().List(std::nullopt), SizeIs(1));
}

TEST_F(IngestTest, AColumnFileLostBeforeItsFileVanishedIsDataLossUntilTheNextSync) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  data_.Write("b.csv", "t,y\n3,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  LoseColumnFiles(id);
  data_.Remove("a.csv");
  EXPECT_THAT(NumIndexedRows(id), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a.csv")));
  Sync(id);
  EXPECT_THAT(NumIndexedRows(id), IsOkAndHolds(3));
  EXPECT_THAT(Samples(), ElementsAre(Found{3, "b.csv:0", "3,1", 1}));
}

TEST_F(IngestTest, SamplesWhoseColumnFileWasLostWhenTheirFileWasReplacedHaveNoPlaceInIt) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  LoseColumnFiles(id);
  data_.Write("a.csv", "t,y\n5,1\n6,0\n");
  Sync(id);
  EXPECT_THAT(Query("SELECT sample_key & 255 FROM storage.samples WHERE position IS NULL "
                    "ORDER BY sample_key"),
              ElementsAre(ElementsAre("1"), ElementsAre("2")));
  EXPECT_THAT(NumIndexedRows(id), IsOkAndHolds(4));
}

TEST_F(IngestTest, SingleFilesShareSegmentsAndAreReplacedOneByOne) {
  data_.Write("ant/1.txt", "one");
  data_.Write("cat/2.txt", "two");
  data_.Write("cat/3.txt", "three");
  const DatasetId id =
      Register("path: " + data_.path() +
               "\nformat: single_file\nlabel: {folder: true, classes: [ant, cat]}\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "1.txt:0", "one", 0}, Found{2, "2.txt:0", "two", 1},
                                     Found{3, "3.txt:0", "three", 1}));
  EXPECT_EQ(NumColumnFiles(id), 1U);
  data_.Write("cat/2.txt", "two");
  data_.Write("cat/3.txt", "drei");
  data_.Remove("ant/1.txt");
  Sync(id);
  EXPECT_THAT(Samples(),
              ElementsAre(Found{2, "2.txt:0", "two", 1}, Found{4, "3.txt:0", "drei", 1}));
  const auto segments = Query("SELECT segment_id FROM storage.segments ORDER BY first_key");
  const DatasetSpec spec = stack_->catalog().Find(id)->spec;
  for (const auto& row : segments) {
    ASSERT_THAT(files::Remove(SegmentPath(state_.path(), id, std::stoll(row[0]))), IsOk());
    ASSERT_THAT(RebuildSegmentColumns(stack_->database(), stack_->cache(), state_.path(), spec, id,
                                      std::stoll(row[0])),
                IsOk());
  }
  EXPECT_THAT(Samples(),
              ElementsAre(Found{2, "2.txt:0", "two", 1}, Found{4, "3.txt:0", "drei", 1}));
}

TEST_F(IngestTest, ASampleDeletedByHandStaysDeletedWhenItsFileIsReplaced) {
  data_.Write("a.csv", "t,y\n1,1\n2,0\n");
  const DatasetId id = Register(SpecText());
  const int64_t key = Sync(id).committed_key;
  EXPECT_THAT(stack_->catalog().DeleteSamples(id, {key, key, key + 9}, {}), IsOkAndHolds(1));
  EXPECT_THAT(stack_->catalog().DeleteSamples(id, {key}, {}), IsOkAndHolds(0));
  EXPECT_THAT(stack_->catalog().DeleteSamples({77}, {key}, {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("77")));
  data_.Write("a.csv", "t,y\n2,0\n1,1\n3,1\n");
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "a.csv:1", "1,1", 1}, Found{3, "a.csv:2", "3,1", 1}));
  EXPECT_EQ(stack_->catalog().Count(id)->num_deleted, 1);
}

TEST_F(IngestTest, RegisteringIsIdempotentAndANameKeepsItsSpec) {
  const DatasetId id = Register(SpecText());
  const auto again = stack_->catalog().Register("default", "d", SpecText(), {});
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->id, id);
  EXPECT_FALSE(again->created);
  data_.Write("a.csv", "t,y\n1,1\n");
  Sync(id);
  EXPECT_THAT(stack_->catalog().Register("", "d", SpecText(), {}), IsOk());
  EXPECT_THAT(stack_->catalog().Register("", "d", SpecText("append: true\n"), {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another spec")));
}

TEST_F(IngestTest, AHeaderThatNoSpecCanHoldCondemnsItsFileAndNotTheDataset) {
  std::string wide = "t,y";
  for (int i = 0; i < 50'000; ++i) wide += ",c" + std::to_string(i);
  data_.Write("a.csv", wide + "\n");
  data_.Write("b.csv", "t,y,gr\xfcn\n1,1,2\n");
  data_.Write("c.csv", "t,y\n1,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(Samples(), ElementsAre(Found{1, "c.csv:0", "1,1", 1}));
  const auto entries = stack_->catalog().ListQuarantine(id, 0);
  ASSERT_THAT(entries, IsOk());
  ASSERT_THAT(*entries, SizeIs(2));
  EXPECT_THAT((*entries)[0].reason, HasSubstr("50002 columns"));
  EXPECT_THAT((*entries)[1].reason, HasSubstr("not UTF-8"));
  EXPECT_THAT(*stack_->catalog().List(std::nullopt), SizeIs(1));
}

TEST_F(IngestTest, ASpecThatCannotBeReadBackIsNotRegistered) {
  std::string columns = "t, y";
  for (int i = 0; i < 48'000; ++i) columns += fmt::format(",column{:014}", i);
  const std::string spec = "path: " + data_.path() + "\nformat: {type: csv, columns: [" + columns +
                           "]}\nlabel: {column: y}\nevent_time: {column: t, format: unix}\n";
  EXPECT_THAT(stack_->catalog().Register("", "d", spec, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("bytes")));
}

TEST_F(IngestTest, ADatasetWhoseSpecDoesNotParseIsLeftOutAndCanBeDeleted) {
  data_.Write("a.csv", "t,y\n1,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  ASSERT_THAT(stack_->catalog().Register("", "other", SpecText(), {}), IsOk());
  Query("UPDATE storage.datasets SET spec = 'path: [' WHERE name = 'd'");
  const auto listed = stack_->catalog().List(std::nullopt);
  ASSERT_THAT(listed, IsOk());
  ASSERT_THAT(*listed, SizeIs(1));
  EXPECT_EQ(listed->front().name, "other");
  EXPECT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(true));
  EXPECT_FALSE(files::Exists(SegmentFolder(state_.path(), id)));
  EXPECT_THAT(Query("SELECT name FROM storage.datasets"), ElementsAre(ElementsAre("other")));
}

TEST_F(IngestTest, PathsOutsideTheAllowedFoldersAreRefusedHoweverWritten) {
  const auto refused = [&](const std::string& path) {
    return stack_->catalog().Register("", "x", "path: " + path + "\nformat: csv\n", {}).status();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(refused(state_.path()), StatusIs(kInvalid, HasSubstr("allowed")));
  EXPECT_THAT(refused(data_.path() + "/.."), StatusIs(kInvalid, HasSubstr("allowed")));
  EXPECT_THAT(refused(data_.path() + "/none"), StatusIs(kInvalid, HasSubstr("no folder")));
  EXPECT_THAT(refused("data"), StatusIs(kInvalid, HasSubstr("not absolute")));
  std::filesystem::create_symlink(state_.path(), data_.path() + "/link");
  EXPECT_THAT(refused(data_.path() + "/link"), StatusIs(kInvalid, HasSubstr("allowed")));
  // Nor does a link among the files lead out.
  state_.Write("secret.csv", "t,y\n1,1\n");
  std::filesystem::create_symlink(state_.path() + "/secret.csv", data_.path() + "/a.csv");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(Samples(), IsEmpty());
}

TEST_F(IngestTest, DeletingADatasetLeavesTheFilesAndNothingElse) {
  const std::string file = data_.Write("a.csv", "t,y\n1,1\nx,1\n");
  const DatasetId id = Register(SpecText());
  Sync(id);
  EXPECT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(true));
  EXPECT_THAT(stack_->catalog().Delete("", "d", {}), IsOkAndHolds(false));
  EXPECT_TRUE(files::Exists(file));
  EXPECT_FALSE(files::Exists(SegmentFolder(state_.path(), id)));
  for (const char* const table :
       {"datasets", "files", "segments", "samples", "quarantine", "tombstones", "watermarks"}) {
    EXPECT_THAT(Query(std::string("SELECT 1 FROM storage.") + table), IsEmpty()) << table;
  }
  EXPECT_THAT(stack_->ingestor().Sync(id, true, {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("unknown")));
  // Keys are never used again.
  const DatasetId next = Register(SpecText());
  EXPECT_EQ(Sync(next).committed_key >> kSlotShift, stack_->catalog().Find(next)->slot);
  EXPECT_EQ(stack_->catalog().Find(next)->slot, 2);
}

TEST_F(IngestTest, TheWatcherTakesInWhatArrives) {
  const DatasetId id = Register(SpecText());
  const Watcher watcher(stack_->catalog(), stack_->ingestor(), std::chrono::milliseconds{50});
  const auto await = [&](int64_t num_samples) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (std::chrono::steady_clock::now() < deadline) {
      if (stack_->catalog().Count(id)->num_samples == num_samples) return true;
      std::this_thread::yield();
    }
    return false;
  };
  data_.Write("a.csv", "t,y\n1,1\n");
  EXPECT_TRUE(await(1));
  data_.Write("b.csv", "t,y\n1,1\n2,0\n");
  EXPECT_TRUE(await(3));
}

TEST_F(IngestTest, ProgressEndsWithAllFilesDone) {
  for (int i = 0; i < 5; ++i) data_.Write(std::to_string(i) + ".csv", "t,y\n1,1\nx,1\n2,1\n");
  Restart(2, {.files_per_batch = 2});
  const DatasetId id = Register(SpecText());
  std::vector<SyncProgress> reports;
  ASSERT_THAT(
      stack_->ingestor().Sync(id, true, [&](const SyncProgress& p) { reports.push_back(p); }),
      IsOk());
  ASSERT_THAT(reports, SizeIs(4));
  EXPECT_EQ(reports.front().num_files_done, 0);
  EXPECT_EQ(reports.back().num_files_done, 5);
  EXPECT_EQ(reports.back().num_files_found, 5);
  EXPECT_EQ(reports.back().num_samples, 10);
  EXPECT_EQ(reports.back().num_quarantined, 5);
}

}  // namespace
}  // namespace tidemill::storage
