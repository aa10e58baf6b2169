// A storage service without its gRPC face, on a real PostgreSQL, for the tests of its write side.
#pragma once

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
#include "storage/catalog/dataset_catalog.h"
#include "storage/index/sample_index.h"
#include "storage/index/samples_to_delete.h"
#include "storage/ingest/ingestor.h"
#include "storage/ingest/watcher.h"
#include "storage/migrations.h"
#include "storage/segments/segment_columns.h"
#include "storage/testing/data_folder.h"

namespace tidemill::storage::testing {

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
    source_ = std::make_unique<LocalFiles>(
        std::make_shared<AllowedRoots>(AllowedRootsOptions{.roots = {data.path()}}));
    auto cache = UnpackedCache::Create({.folder = state + "/unpacked"}, *source_);
    EXPECT_THAT(cache, IsOk());
    cache_ = *std::move(cache);
    catalog_ =
        std::make_unique<DatasetCatalog>(*database_, *cache_, CatalogOptions{.folder = state});
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
  std::unique_ptr<LocalFiles> source_;
  std::unique_ptr<UnpackedCache> cache_;
  std::unique_ptr<DatasetCatalog> catalog_;
  std::unique_ptr<Ingestor> ingestor_;
};

// The counter of the key, "file:position", the bytes as the column file finds them, and the class.
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

  // Deletes samples as the service does, with the identities of their records.
  void DeleteOnRequest(DatasetId id, const std::vector<int64_t>& keys) {
    SampleIndex indexes(stack_->database(), stack_->catalog(), stack_->cache());
    const auto samples = SamplesToDelete(indexes, id, keys);
    ASSERT_THAT(samples, IsOk());
    EXPECT_THAT(stack_->catalog().DeleteSamples(id, *samples, {}), IsOkAndHolds(std::ssize(keys)));
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

  // Returns all samples that are not deleted, through the column files. Checks them against
  // PostgreSQL's rows.
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
      const int64_t byte_from = columns->lookup[at].byte_from;
      std::string bytes(static_cast<size_t>(columns->byte_to[at] - byte_from), '\0');
      EXPECT_THAT(file->ReadAt(byte_from, bytes.data(), bytes.size()), IsOk());
      const std::string name = std::filesystem::path(row[1]).filename().string();
      samples.push_back({std::stoll(row[0]), name + ":" + row[2], bytes, std::stoll(row[3])});
    }
    return samples;
  }

  // Runs a sync in a separate process that is killed at the failpoint.
  void SyncAndDieAt(DatasetId id, const std::string& failpoint, int passage = 1,
                    const IngestorOptions& options = {}) {
    const pid_t child = fork();
    if (child == 0) {
      Stack stack(database_.connection_string(), data_, state_.path(), 2, options);
      const bool armed = failpoints::Arm(fmt::format("{}=kill:{}", failpoint, passage)).ok();
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

  // Returns what the read side finds in the dataset, with nothing in memory yet.
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

}  // namespace tidemill::storage::testing
