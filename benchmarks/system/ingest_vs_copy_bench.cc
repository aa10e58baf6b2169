// Files becoming samples, until they are visible and their indexes summarised, against a binary
// COPY of the same rows from memory by one connection into the same kind of table.
//
// TIDEMILL_BENCH_SAMPLES: how many, a million unless it says otherwise. The data are below
// TIDEMILL_BENCH_FOLDER, /tmp unless it says otherwise, and so does the PostgreSQL.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "benchmarks/system/ingest_rig.h"
#include "libpq-fe.h"

namespace tidemill::benchmarks {
namespace {

constexpr int64_t kRecordBytes = 160;
// Both numbers are our own.
constexpr char kSummarize[] = "SELECT brin_summarize_new_values('storage.samples_{}_{}_idx')";
constexpr int64_t kStartMicros = 1'500'000'000'000'000;
constexpr int64_t kStepMicros = 1000;

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
      Number((slot << storage::kSlotShift) + 1 + position);
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
      Run(fmt::format(kSummarize, dataset_.value, column));
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
  Contest(IngestRig& rig, int64_t num_samples)
      : rig_(rig), num_samples_(num_samples), yardstick_(rig.connection_string(), num_samples) {
    WriteRecords(rig_.Folder("data") + "/part-0.bin", num_samples_);
  }

  void PrepareOurs() {
    Require(rig_.catalog().Delete("", "ours", {}).status());
    yardstick_.Checkpoint();
  }

  double RunOurs() {
    ours_ = Require(rig_.catalog().Register("", "ours", SpecText(rig_.Folder("data")), {})).id;
    Require(rig_.ingestor().Sync(ours_, /*wait=*/true, {}));
    return static_cast<double>(num_samples_);
  }

  void PrepareYardstick() {
    Require(rig_.catalog().Delete("", "yardstick", {}).status());
    theirs_ =
        Require(rig_.catalog().Register("", "yardstick", SpecText(rig_.Folder("empty")), {})).id;
    yardstick_.Encode(theirs_, Require(rig_.catalog().Find(theirs_)).slot, /*file=*/1);
    yardstick_.Checkpoint();
  }

  double RunYardstick() {
    yardstick_.Copy();
    return static_cast<double>(num_samples_);
  }

  // The contents of both tables, without what differs by nature.
  void Check() {
    const std::string rows = Contents(ours_);
    if (rows != Contents(theirs_)) Fail("the tables differ: " + rows + " and " + Contents(theirs_));
    if (Require(rig_.catalog().Count(ours_)).num_samples != num_samples_)
      Fail("samples are missing");
  }

 private:
  std::string Contents(DatasetId dataset) {
    std::string contents;
    Require(rig_.database().Transact([&](pqxx::work& work) {
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

  IngestRig& rig_;
  const int64_t num_samples_;
  CopyYardstick yardstick_;
  DatasetId ours_, theirs_;
};

int Run() {
  const int64_t num_samples = NumSamples(1'000'000);
  Contest contest(IngestRig::Make(), num_samples);
  const Side ours = {.prepare = [&] { contest.PrepareOurs(); },
                     .work = [&] { return contest.RunOurs(); }};
  const Side yardstick = {.prepare = [&] { contest.PrepareYardstick(); },
                          .work = [&] { return contest.RunYardstick(); }};
  const PairedResult result = Measure("ingest_vs_copy", "samples/s", 1, ours, yardstick);
  contest.Check();
  Report(result);
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() { return tidemill::benchmarks::Run(); }
