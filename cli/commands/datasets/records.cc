#include "cli/commands/datasets/records.h"

#include <unistd.h>

#include <cstdio>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/commands/datasets/record_rows.h"
#include "cli/terminal/text.h"
#include "config/config.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::cli {
namespace {

using storage::StorageClient;
using storage::v1::ListRecordsResponse;

// The rows of a table with its own header, so that no list is kept in memory.
constexpr int kRowsPerTable = 1'000;

struct RecordsFlags {
  std::string name;
  std::string where;
  int64_t limit = 20;
};

RecordsFlags& FlagsOfRecords() {
  static RecordsFlags flags;
  return flags;
}

// Prints records as they come: one JSON document with a record a line, or tables.
class RecordPrinter {
 public:
  RecordPrinter(bool json, std::vector<std::string> classes)
      : json_(json), classes_(std::move(classes)) {}

  void Add(const RecordListEnd& so_far, const ListRecordsResponse& message) {
    for (const ListRecordsResponse::Record& record : message.records()) {
      if (json_) {
        Begin(so_far.columns);
        fmt::print("{}{}", num_printed_ == 0 ? "\n" : ",\n",
                   RecordToJson(record, so_far.columns, classes_).dump());
      } else {
        AddRow(so_far.columns, record);
      }
      ++num_printed_;
    }
  }

  void Finish(const RecordListEnd& end) {
    const ListRecordsResponse& last = end.last;
    if (json_) {
      Begin(end.columns);
      nlohmann::ordered_json tail = {{"looked_at", last.num_samples_done() - last.num_unreadable()},
                                     {"samples", last.num_samples()},
                                     {"unreadable", last.num_unreadable()},
                                     {"more", last.is_cut()},
                                     {"undecided", last.num_undecided()}};
      tail.update(CountsToJson(end));
      fmt::print("\n],{}\n", tail.dump().substr(1));
      return;
    }
    if (num_printed_ == 0) table_.emplace(RecordHeader(end.columns));
    if (table_) fmt::print("{}", table_->ToString());
    if (last.is_cut()) fmt::print("and more; --limit 0 shows all\n");
  }

 private:
  void Begin(const std::vector<std::string>& columns) {
    if (std::exchange(is_begun_, true)) return;
    fmt::print("{{\"columns\":{},\"records\":[", nlohmann::ordered_json(columns).dump());
  }

  void AddRow(const std::vector<std::string>& columns, const ListRecordsResponse::Record& record) {
    if (!table_) table_.emplace(RecordHeader(columns));
    table_->Add(RecordRow(record, classes_));
    if (++num_in_table_ < kRowsPerTable) return;
    fmt::print("{}", table_->ToString());
    table_.reset();
    num_in_table_ = 0;
  }

  const bool json_;
  const std::vector<std::string> classes_;
  bool is_begun_ = false;
  int64_t num_printed_ = 0;
  int num_in_table_ = 0;
  std::optional<Table> table_;
};

int Records(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const auto dataset = session.Ask(&StorageClient::GetDataset, FlagsOfRecords().name);
    if (!dataset.ok()) return Report(dataset.status());
    const auto spec = config::ReadKept<storage::DatasetSpec>(dataset->spec(), dataset->name());
    storage::v1::ListRecordsRequest request;
    request.set_dataset_id(dataset->dataset_id());
    request.set_condition(FlagsOfRecords().where);
    request.set_limit(FlagsOfRecords().limit);
    RecordPrinter printer(flags.json, spec.ok() ? spec->label.classes : std::vector<std::string>());
    const auto end = ListRecords(
        session, request, flags.quiet,
        [&](const RecordListEnd& so_far, const auto& message) { printer.Add(so_far, message); });
    if (!end.ok()) return Report(end.status());
    printer.Finish(*end);
    std::fflush(stdout);
    fmt::print(stderr, "{}", DoubtsOf(*end));
    return end->last.num_unreadable() > 0 ? kPartial : kDone;
  });
}

}  // namespace

absl::StatusOr<RecordListEnd> ListRecords(
    const Session& session, const storage::v1::ListRecordsRequest& request, bool quiet,
    const std::function<void(const RecordListEnd&, const ListRecordsResponse&)>& on_records) {
  const bool shows_progress = IsTerminal(STDERR_FILENO) && !quiet;
  RecordListEnd end;
  const auto take = [&](ListRecordsResponse& message) {
    if (!message.columns().empty()) {
      end.columns.assign(message.columns().begin(), message.columns().end());
    }
    end.others.insert(end.others.end(), message.others().begin(), message.others().end());
    message.clear_others();
    if (shows_progress) {
      fmt::print(stderr, "\r\x1b[2K{}/{} samples", WithThousands(message.num_samples_done()),
                 WithThousands(message.num_samples()));
    }
    if (!message.records().empty()) {
      if (shows_progress) fmt::print(stderr, "\r\x1b[2K");
      on_records(end, message);
      message.clear_records();
    }
    end.last = message;
    return absl::OkStatus();
  };
  const absl::Status status = session.Follow(&StorageClient::ListRecords, request, take);
  if (shows_progress) fmt::print(stderr, "\r\x1b[2K");
  RETURN_IF_ERROR(status);
  return end;
}

nlohmann::ordered_json CountsToJson(const RecordListEnd& end) {
  nlohmann::ordered_json json = {{"lacking", nlohmann::ordered_json::object()},
                                 {"missing", nlohmann::ordered_json::object()},
                                 {"unfit", nlohmann::ordered_json::object()}};
  for (int i = 0; i < end.last.column_counts_size(); ++i) {
    const std::string& column = end.columns[static_cast<size_t>(i)];
    const ListRecordsResponse::ColumnCounts& counts = end.last.column_counts(i);
    json["lacking"][column] = counts.num_lacking();
    json["missing"][column] = counts.num_null();
    if (counts.num_unfit() == 0) continue;
    json["unfit"][column] = {{"samples", counts.num_unfit()}, {"first", counts.first_unfit()}};
  }
  return json;
}

std::string DoubtsOf(const RecordListEnd& end) {
  const ListRecordsResponse& last = end.last;
  const std::string all = WithThousands(last.num_samples_done() - last.num_unreadable());
  std::string text;
  for (int i = 0; i < last.column_counts_size(); ++i) {
    const std::string column = OneLine(end.columns[static_cast<size_t>(i)]);
    const ListRecordsResponse::ColumnCounts& counts = last.column_counts(i);
    if (counts.num_null() > 0) {
      text += fmt::format(
          "{} of {} samples have no {}: it is absent, empty or a word for a missing value\n",
          WithThousands(counts.num_null()), all, column);
    }
    if (counts.num_unfit() > 0) {
      text += fmt::format("in {} of {} samples {} cannot be compared; the first: {}\n",
                          WithThousands(counts.num_unfit()), all, column,
                          OneLine(counts.first_unfit()));
    }
  }
  if (last.num_undecided() > 0) {
    text += fmt::format("for {} of {} samples the condition is null, so they do not match\n",
                        WithThousands(last.num_undecided()), all);
  }
  if (last.num_unreadable() > 0) {
    text += fmt::format(
        "{} samples could not be read, so it is unknown whether they match; the first: sample "
        "{} {}\n",
        WithThousands(last.num_unreadable()), last.first_unreadable().sample_key(),
        OneLine(last.first_unreadable().reason()));
  }
  return text;
}

void AddRecordsCommand(Command& datasets) {
  RecordsFlags& flags = FlagsOfRecords();
  Command& command = datasets.AddSubcommand(
      "records", "List the samples whose records match a condition, with their keys and files");
  command.AddOption("name", flags.name, "Dataset name").Required().TypeName("DATASET");
  command.AddOption("--where", flags.where,
                    "Only samples that match, such as \"user = 17 and country != 'DE'\"");
  command.AddOption("--limit", flags.limit, "At most this many records; 0 for all").NonNegative();
  SetAction(command, Records);
  command.AddExample("tidemill datasets records elec2 --where \"price > 0.9 and day = 3\"");
}

}  // namespace tidemill::cli
