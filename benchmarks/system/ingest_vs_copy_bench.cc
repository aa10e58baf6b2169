// Files becoming samples, until they are visible and their indexes summarised, against a binary
// COPY of the same rows from memory by one connection into the same kind of table.
//
// TIDEMILL_BENCH_SAMPLES: how many, a million unless it says otherwise. The data lie below
// TIDEMILL_BENCH_FOLDER, /tmp unless it says otherwise, and so does the PostgreSQL.
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "benchmarks/paired.h"
#include "db/database.h"
#include "db/migrations.h"
#include "db/private_postgres.h"
#include "libpq-fe.h"
#include "storage/dataset_catalog.h"
#include "storage/datasets_table.h"
#include "storage/ingestor.h"
#include "storage/migrations.h"

namespace tidemill::storage {
namespace {

constexpr int64_t kRecordBytes = 160;
constexpr int64_t kStartMicros = 1'500'000'000'000'000;
constexpr int64_t kStepMicros = 1000;

[[noreturn]] void Fail(const std::string& reason) {
  fmt::print(stderr, "{}\n", reason);
  std::exit(1);
}

void Must(const absl::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

template <typename T>
T Must(absl::StatusOr<T> value) {
  Must(value.status());
  return *std::move(value);
}

std::string Variable(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

// A folder that goes with all in it.
class Folder {
 public:
  Folder() : path_(Variable("TIDEMILL_BENCH_FOLDER", "/tmp") + "/tidemill-ingest-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) Fail("cannot make " + path_);
    ::chmod(path_.c_str(), 0711);  // The user of PostgreSQL passes through.
  }
  ~Folder() { files::Remove(path_).IgnoreError(); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Whether the click came: the first of a record's 40 numbers.
int64_t LabelOf(int64_t position) { return (position * 2'654'435'761 >> 8) % 4 == 0 ? 1 : 0; }

void WriteRecords(const std::string& path, int64_t num_samples) {
  std::ofstream file(path, std::ios::binary);
  std::vector<uint32_t> record(kRecordBytes / sizeof(uint32_t));
  for (int64_t position = 0; position < num_samples; ++position) {
    record[0] = static_cast<uint32_t>(LabelOf(position));
    for (size_t field = 1; field < record.size(); ++field) {
      record[field] = static_cast<uint32_t>((position + 1) * 40'503 * static_cast<int64_t>(field));
    }
    file.write(reinterpret_cast<const char*>(record.data()), kRecordBytes);
  }
  file.close();
  if (!file) Fail("cannot write " + path);
}

std::string SpecText(const std::string& folder) {
  return fmt::format(
      "path: {}\nformat: {{type: binary, record_bytes: {}}}\n"
      "label: {{record: {{offset: 0, width: 4, endianness: little}}}}\n"
      "event_time: {{row: {{start: 2017-07-14T02:40:00Z, step: 1ms}}}}\nsettle: 1us\n",
      folder, kRecordBytes);
}

// Binary COPY as fast as it goes: the bytes are there before the clock starts.
class CopyYardstick {
 public:
  CopyYardstick(const std::string& connection_string, int64_t num_samples)
      : connection_(PQconnectdb(connection_string.c_str())), num_samples_(num_samples) {
    if (PQstatus(connection_) != CONNECTION_OK) Fail(PQerrorMessage(connection_));
    Run("SET client_min_messages TO warning");
  }
  ~CopyYardstick() { PQfinish(connection_); }
  CopyYardstick(const CopyYardstick&) = delete;
  CopyYardstick& operator=(const CopyYardstick&) = delete;

  // Encodes the rows of a dataset whose file has this id.
  void Encode(DatasetId dataset, int64_t slot, int64_t file) {
    dataset_ = dataset;
    bytes_.clear();
    bytes_.reserve(static_cast<size_t>(num_samples_) * 80);
    bytes_.append("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
    for (int64_t position = 0; position < num_samples_; ++position) {
      Append<uint16_t>(7);
      Number(dataset.value);
      Number((slot << kSlotShift) + 1 + position);
      Number(file);
      Number(position);
      Number(LabelOf(position));
      Append<uint32_t>(static_cast<uint32_t>(-1));
      Number(kStartMicros + kStepMicros * position - 946'684'800'000'000);
    }
    Append<uint16_t>(static_cast<uint16_t>(-1));
  }

  void Copy() {
    Run("BEGIN");
    Run(
        fmt::format("COPY storage.samples_{} (dataset_id, sample_key, file_id, position, "
                    "class_label, real_label, event_time) FROM STDIN (FORMAT binary)",
                    dataset_.value));
    // Small enough that PostgreSQL works on one message while the next ones are on their way.
    constexpr size_t kMessage = 64 << 10;
    for (size_t at = 0; at < bytes_.size(); at += kMessage) {
      const size_t size = std::min(kMessage, bytes_.size() - at);
      if (PQputCopyData(connection_, bytes_.data() + at, static_cast<int>(size)) != 1) {
        Fail(PQerrorMessage(connection_));
      }
    }
    if (PQputCopyEnd(connection_, nullptr) != 1) Fail(PQerrorMessage(connection_));
    while (PGresult* const result = PQgetResult(connection_)) Check(result);
    Run("COMMIT");
    for (const char* const column : {"sample_key", "event_time"}) {
      Run(fmt::format("SELECT brin_summarize_new_values('storage.samples_{}_{}_idx')",
                      dataset_.value, column));
    }
  }

  void Checkpoint() { Run("CHECKPOINT"); }

 private:
  template <typename T>
  void Append(T value) {
    char bytes[sizeof(T)];
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes[sizeof(T) - 1 - i] = static_cast<char>(value >> (8 * i));
    }
    bytes_.append(bytes, sizeof(T));
  }
  void Number(int64_t value) {
    Append<uint32_t>(8);
    Append<uint64_t>(static_cast<uint64_t>(value));
  }
  void Run(const std::string& sql) { Check(PQexec(connection_, sql.c_str())); }
  void Check(PGresult* result) {
    const ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN) {
      Fail(PQerrorMessage(connection_));
    }
  }

  PGconn* const connection_;
  const int64_t num_samples_;
  DatasetId dataset_;
  std::string bytes_;
};

// Both sides on one PostgreSQL.
class Contest {
 public:
  explicit Contest(int64_t num_samples) : num_samples_(num_samples) {
    for (const char* const name : {"data", "empty", "state"}) {
      Must(files::CreateFolder(folder_ / name));
    }
    WriteRecords(folder_ / "data/part-0.bin", num_samples_);
    postgres_ = Must(db::PrivatePostgres::Start(folder_ / "cluster", folder_ / "s"));
    database_ = Must(db::Database::Connect(postgres_->ConnectionString()));
    Must(db::Migrate(*database_, "storage", Migrations()));
    cache_ = Must(UnpackedCache::Create({.folder = folder_ / "state/unpacked"}));
    catalog_ = std::make_unique<DatasetCatalog>(
        *database_, *cache_,
        CatalogOptions{.folder = folder_ / "state", .allowed_roots = {folder_ / "."}});
    ingestor_ = std::make_unique<Ingestor>(*database_, *catalog_, *cache_, IngestorOptions{});
    yardstick_ = std::make_unique<CopyYardstick>(postgres_->ConnectionString(), num_samples_);
  }
  ~Contest() {
    yardstick_.reset();
    if (postgres_ != nullptr) postgres_->Stop().IgnoreError();
  }
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  void PrepareOurs() {
    Must(catalog_->Delete("", "ours", {}).status());
    yardstick_->Checkpoint();
  }

  double RunOurs() {
    ours_ = Must(catalog_->Register("", "ours", SpecText(folder_ / "data"), {})).id;
    Must(ingestor_->Sync(ours_, /*wait=*/true, {}));
    return static_cast<double>(num_samples_);
  }

  void PrepareYardstick() {
    Must(catalog_->Delete("", "yardstick", {}).status());
    theirs_ = Must(catalog_->Register("", "yardstick", SpecText(folder_ / "empty"), {})).id;
    yardstick_->Encode(theirs_, Must(catalog_->Find(theirs_)).slot, /*file=*/1);
    yardstick_->Checkpoint();
  }

  double RunYardstick() {
    yardstick_->Copy();
    return static_cast<double>(num_samples_);
  }

  // What stands in both tables, less what differs by nature.
  void Check() {
    const std::string rows = Contents(ours_);
    if (rows != Contents(theirs_)) Fail("the tables differ: " + rows + " and " + Contents(theirs_));
    if (Must(catalog_->Count(ours_)).num_samples != num_samples_) Fail("samples are missing");
  }

 private:
  std::string Contents(DatasetId dataset) {
    std::string contents;
    Must(database_->Transact([&](pqxx::work& work) {
      const pqxx::row row = work.exec1(fmt::format(
          "SELECT count(*), count(DISTINCT file_id), sum(hashint8(sample_key & ((1::bigint << 44) "
          "- 1))::bigint * (position % 1000003) + hashfloat8(extract(epoch FROM event_time)::float8"
          ")::bigint * (class_label + 1)), count(real_label), max(position) FROM "
          "storage.samples_{}",
          dataset.value));
      contents.clear();
      for (const pqxx::field& field : row) contents += std::string(field.c_str()) + " ";
      return absl::OkStatus();
    }));
    return contents;
  }

  const int64_t num_samples_;
  Folder folder_;
  std::unique_ptr<db::PrivatePostgres> postgres_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<UnpackedCache> cache_;
  std::unique_ptr<DatasetCatalog> catalog_;
  std::unique_ptr<Ingestor> ingestor_;
  std::unique_ptr<CopyYardstick> yardstick_;
  DatasetId ours_, theirs_;
};

}  // namespace
}  // namespace tidemill::storage

int main() {
  using namespace tidemill;  // NOLINT: a program of one function.
  const int64_t num_samples = std::stoll(storage::Variable("TIDEMILL_BENCH_SAMPLES", "1000000"));
  storage::Contest contest(num_samples);
  const benchmarks::Side ours = {.prepare = [&] { contest.PrepareOurs(); },
                                 .work = [&] { return contest.RunOurs(); }};
  const benchmarks::Side yardstick = {.prepare = [&] { contest.PrepareYardstick(); },
                                      .work = [&] { return contest.RunYardstick(); }};
  const benchmarks::PairedResult result =
      benchmarks::Measure("ingest_vs_copy", "samples/s", 1, ours, yardstick);
  contest.Check();
  benchmarks::Report(result);
}
