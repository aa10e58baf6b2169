// Keys, times and labels of half of a dataset through gRPC, storage restarted before each time,
// against a binary COPY of the same rows out of the table that holds them, by libpq.
#include <ctime>
#include <string>

#include "base/memory/heap.h"
#include "benchmarks/paired.h"
#include "benchmarks/served_records.h"
#include "libpq-fe.h"

namespace tidemill::benchmarks {
namespace {

// The middle half.
struct Interval {
  int64_t first = 0;
  int64_t end = 0;

  explicit Interval(int64_t num_samples)
      : first(num_samples / 4), end(num_samples / 4 + num_samples / 2) {}
  int64_t num_samples() const { return end - first; }
};

int64_t TimeOf(int64_t i) { return kFirstEventTime + i * kEventTimeStep; }

storage::v1::ListSamplesRequest RequestOf(const ServedRecords& records, const Interval& interval) {
  storage::v1::ListSamplesRequest request;
  *request.mutable_snapshot() = records.snapshot();
  request.set_with_labels(true);
  request.mutable_from()->set_event_time(TimeOf(interval.first));
  request.mutable_to()->set_event_time(TimeOf(interval.end));
  return request;
}

// Every row, by content.
void CheckContent(const ServedRecords& records, const Interval& interval) {
  int64_t i = interval.first;
  Require(records.client().ListSamples(
      RequestOf(records, interval), [&](const batch::Batch& rows) -> absl::Status {
        const auto times = rows.Find(batch::kEventTimeColumn)->Values<int64_t>();
        const auto labels = rows.Find(batch::kClassLabelColumn)->Values<int64_t>();
        for (size_t row = 0; row < times.size(); ++row, ++i) {
          if (rows.keys()[row] != records.first_key() + i || times[row] != TimeOf(i) ||
              labels[row] != ServedRecords::LabelOf(i)) {
            return Internal("sample {} is listed as another", i);
          }
        }
        return absl::OkStatus();
      }));
  if (i != interval.end) Fail("samples are missing");
}

double List(ServedRecords& records, const Interval& interval) {
  records.Restart();
  int64_t num_rows = 0;
  Require(records.client().ListSamples(RequestOf(records, interval), [&](const batch::Batch& rows) {
    num_rows += rows.num_rows();
    return absl::OkStatus();
  }));
  if (num_rows != interval.num_samples()) Fail("samples are missing");
  return static_cast<double>(num_rows);
}

// Drains the stream without parsing it.
class Copier {
 public:
  Copier(const ServedRecords& records, const Interval& interval)
      : connection_(PQconnectdb(records.connection_string().c_str())),
        num_rows_(interval.num_samples()),
        // The rows are in the order of keys and times; to ask for it would cost PostgreSQL a sort.
        sql_(fmt::format("COPY (SELECT sample_key, class_label, event_time FROM storage.samples "
                         "WHERE dataset_id = {} AND event_time >= {} AND event_time < {}) "
                         "TO STDOUT (FORMAT binary)",
                         records.dataset().value, Literal(interval.first), Literal(interval.end))) {
    if (PQstatus(connection_) != CONNECTION_OK) Fail(PQerrorMessage(connection_));
  }
  ~Copier() { PQfinish(connection_); }
  Copier(const Copier&) = delete;
  Copier& operator=(const Copier&) = delete;

  double Copy() {
    PQclear(PQexec(connection_, sql_.c_str()));
    int64_t num_messages = 0;
    char* row = nullptr;
    while (PQgetCopyData(connection_, &row, 0) > 0) {
      ++num_messages;
      PQfreemem(row);
    }
    PGresult* const result = PQgetResult(connection_);
    const bool is_ok = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    while (PGresult* const more = PQgetResult(connection_)) PQclear(more);
    // A message a row; the header comes with the first, and the end with one of its own.
    if (!is_ok || num_messages < num_rows_ || num_messages > num_rows_ + 2) {
      Fail(fmt::format("COPY sent {} messages: {}", num_messages, PQerrorMessage(connection_)));
    }
    return static_cast<double>(num_rows_);
  }

 private:
  // A constant, which an expression would not be: PostgreSQL would compute it for every row.
  static std::string Literal(int64_t i) {
    const auto seconds = static_cast<time_t>(TimeOf(i) / 1'000'000);
    std::tm time = {};
    gmtime_r(&seconds, &time);
    char text[32];
    std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &time);
    return fmt::format("timestamptz '{}.{:06}+00'", text, TimeOf(i) % 1'000'000);
  }

  PGconn* const connection_;
  const int64_t num_rows_;
  const std::string sql_;
};

int Run() {
  ServedRecords records(NumSamples(10'000'000));
  const Interval interval(records.num_samples());
  CheckContent(records, interval);
  Copier copier(records, interval);
  Report(Measure(
      "list_vs_copy", "rows/s", 1, [&] { return List(records, interval); },
      [&] { return copier.Copy(); }));
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() {
  tidemill::KeepFreedPages();  // As our services do.
  return tidemill::benchmarks::Run();
}
