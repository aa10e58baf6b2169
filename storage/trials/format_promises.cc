#include "storage/trials/format_promises.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "fmt/format.h"

#include "base/numbers/thousands.h"
#include "storage/formats/plugin_reader.h"

namespace tidemill::storage::trials {
namespace {

constexpr size_t kPiece = size_t{1} << 20;

struct TriedRecord {
  int64_t begin = 0;
  int64_t end = 0;
  std::optional<double> label;
  std::optional<int64_t> event_time;
  std::string bad;

  friend bool operator==(const TriedRecord&, const TriedRecord&) = default;
};

struct Reading {
  std::vector<TriedRecord> records;
  int64_t end = 0;  // The end of the consumed bytes.
  bool has_labels = false;
  bool has_event_times = false;
};

std::optional<double> LabelAt(const batch::Column* labels, size_t row) {
  if (labels == nullptr || !labels->IsValid(static_cast<int64_t>(row))) return std::nullopt;
  if (labels->type == batch::DataType::kFloat64) return labels->data.As<double>()[row];
  return static_cast<double>(labels->data.As<int64_t>()[row]);
}

std::optional<int64_t> TimeAt(const batch::Column* times, size_t row) {
  if (times == nullptr || !times->IsValid(static_cast<int64_t>(row))) return std::nullopt;
  return times->data.As<int64_t>()[row];
}

void Append(const PieceRecords& records, int64_t offset, Reading& reading) {
  reading.has_labels |= records.labels != nullptr;
  reading.has_event_times |= records.event_times != nullptr;
  for (size_t row = 0; row < records.begins.size(); ++row) {
    const auto bad = records.bad.find(static_cast<int64_t>(row));
    const bool is_good = bad == records.bad.end();
    reading.records.push_back(
        {.begin = offset + records.begins[row],
         .end = offset + records.ends[row],
         .label = is_good ? LabelAt(records.labels, row) : std::nullopt,
         .event_time = is_good ? TimeAt(records.event_times, row) : std::nullopt,
         .bad = is_good ? "" : bad->second});
  }
}

class Trial {
 public:
  Trial(PluginReaders& readers, std::string_view bytes)
      : readers_(readers),
        bytes_(bytes),
        head_(bytes.substr(0, static_cast<size_t>(readers.head_bytes()))) {}

  absl::StatusOr<FormatTrial> Run() {
    ASSIGN_OR_RETURN(whole_, Read(0, kPiece));
    // Without the start of the process.
    const auto started = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(const Reading again, Read(0, kPiece));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
    FormatTrial trial{.num_bytes = std::ssize(bytes_),
                      .num_records = std::ssize(whole_.records),
                      .num_bad = CountBad(),
                      .has_labels = whole_.has_labels,
                      .has_event_times = whole_.has_event_times,
                      .records_per_second = static_cast<double>(whole_.records.size()) /
                                            std::max(taken.count(), 1e-9)};
    trial.promises.push_back(FindsRecords(trial));
    trial.promises.push_back(UsesAllBytes());
    trial.promises.push_back(Compare("reads the same when it is asked again", again, 0));
    for (const size_t piece : {size_t{65'536}, size_t{4'097}}) {
      ASSIGN_OR_RETURN(const Reading cut, Read(0, piece));
      trial.promises.push_back(Compare(fmt::format("reads the same in pieces of {} bytes",
                                                   WithThousands(static_cast<int64_t>(piece))),
                                       cut, 0));
    }
    const size_t middle = whole_.records.size() / 2;
    if (middle > 0) {
      ASSIGN_OR_RETURN(const Reading rest,
                       Read(static_cast<size_t>(whole_.records[middle].begin), kPiece));
      trial.promises.push_back(
          Compare("reads the same from a record in the middle of the file on", rest, middle));
    }
    return trial;
  }

 private:
  absl::StatusOr<Reading> Read(size_t from, size_t size) {
    ASSIGN_OR_RETURN(PluginReader reader, readers_.Take({}));
    Reading reading;
    size_t at = from;
    size_t length = size;
    while (at < bytes_.size()) {
      const std::string_view piece = bytes_.substr(at, length);
      const bool is_last = at + piece.size() == bytes_.size();
      ASSIGN_OR_RETURN(const PieceRecords records, reader.Read({.bytes = piece,
                                                                .offset = static_cast<int64_t>(at),
                                                                .is_last = is_last,
                                                                .head = head_}));
      Append(records, static_cast<int64_t>(at), reading);
      at += static_cast<size_t>(records.consumed);
      if (records.consumed == 0 && is_last) break;
      length = records.consumed == 0 ? 2 * length : size;
    }
    reading.end = static_cast<int64_t>(at);
    return reading;
  }

  int64_t CountBad() const {
    return std::ranges::count_if(whole_.records,
                                 [](const TriedRecord& record) { return !record.bad.empty(); });
  }

  plugin::Promise FindsRecords(const FormatTrial& trial) const {
    plugin::Promise promise{.text = "finds records",
                            .is_kept = trial.num_records > trial.num_bad,
                            .detail = fmt::format("{} of {} are samples",
                                                  WithThousands(trial.num_records - trial.num_bad),
                                                  WithThousands(trial.num_records))};
    const auto bad = std::ranges::find_if(
        whole_.records, [](const TriedRecord& record) { return !record.bad.empty(); });
    if (bad == whole_.records.end()) return promise;
    promise.detail += fmt::format("; record {}: {}", bad - whole_.records.begin(), bad->bad);
    return promise;
  }

  plugin::Promise UsesAllBytes() const {
    const int64_t left = std::ssize(bytes_) - whole_.end;
    plugin::Promise promise{.text = "reads to the end of the file", .is_kept = left == 0};
    if (left > 0) promise.detail = fmt::format("{} bytes are left", WithThousands(left));
    return promise;
  }

  // The second reading equals the first one from the record `first` on.
  plugin::Promise Compare(std::string text, const Reading& reading, size_t first) const {
    plugin::Promise promise{.text = std::move(text)};
    const auto expected = std::span(whole_.records).subspan(first);
    const auto [known, found] = std::ranges::mismatch(expected, reading.records);
    if (known == expected.end() && found == reading.records.end()) return promise;
    promise.is_kept = false;
    promise.detail = fmt::format("record {} is another one",
                                 first + static_cast<size_t>(known - expected.begin()));
    return promise;
  }

  PluginReaders& readers_;
  const std::string_view bytes_;
  const std::string_view head_;
  Reading whole_;
};

}  // namespace

absl::StatusOr<FormatTrial> TryFormat(const plugin::PluginUse& use, std::string_view bytes) {
  ASSIGN_OR_RETURN(const std::unique_ptr<PluginReaders> readers, PluginReaders::Create(use));
  return Trial(*readers, bytes).Run();
}

}  // namespace tidemill::storage::trials
