#include "cli/commands/datasets/records.h"

#include <unistd.h>

#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
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

// The name of a class, a number, or "-".
std::string LabelText(const ListRecordsResponse::Record& record,
                      const std::vector<std::string>& classes) {
  if (record.has_real_label()) return fmt::format("{}", record.real_label());
  if (!record.has_class_label()) return "-";
  const auto place = static_cast<size_t>(record.class_label());
  return place < classes.size() ? classes[place] : std::to_string(record.class_label());
}

nlohmann::ordered_json RecordToJson(const ListRecordsResponse::Record& record,
                                    const std::vector<std::string>& columns,
                                    const std::vector<std::string>& classes) {
  nlohmann::ordered_json json = {{"key", record.sample_key()},
                                 {"file", record.path()},
                                 {"record", record.position()},
                                 {"time", FormatTimestamp({record.event_time()})},
                                 {"label", nullptr},
                                 {"fields", nlohmann::ordered_json::object()}};
  if (record.has_real_label()) json["label"] = record.real_label();
  if (record.has_class_label()) json["label"] = LabelText(record, classes);
  for (int i = 0; i < record.fields_size(); ++i) {
    const auto& field = record.fields(i);
    json["fields"][columns[static_cast<size_t>(i)]] =
        field.has_text() ? nlohmann::ordered_json(field.text()) : nlohmann::ordered_json(nullptr);
  }
  return json;
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
                                     {"lacking", nlohmann::ordered_json::object()}};
      for (int i = 0; i < last.num_lacking_size(); ++i) {
        tail["lacking"][end.columns[static_cast<size_t>(i)]] = last.num_lacking(i);
      }
      fmt::print("\n],{}\n", tail.dump().substr(1));
      return;
    }
    if (num_printed_ == 0) table_.emplace(Header(end.columns));
    if (table_) fmt::print("{}", table_->ToString());
    if (last.is_cut()) fmt::print("and more; --limit 0 shows all\n");
  }

 private:
  void Begin(const std::vector<std::string>& columns) {
    if (std::exchange(is_begun_, true)) return;
    fmt::print("{{\"columns\":{},\"records\":[", nlohmann::ordered_json(columns).dump());
  }

  static std::vector<std::string> Header(const std::vector<std::string>& columns) {
    std::vector<std::string> header = {"KEY", "FILE", "RECORD", "TIME", "LABEL"};
    for (const std::string& column : columns) header.push_back(OneLine(column));
    return header;
  }

  void AddRow(const std::vector<std::string>& columns, const ListRecordsResponse::Record& record) {
    if (!table_) table_.emplace(Header(columns));
    std::vector<std::string> row = {std::to_string(record.sample_key()), OneLine(record.path()),
                                    std::to_string(record.position()),
                                    FormatTimestampShort({record.event_time()}),
                                    OneLine(LabelText(record, classes_))};
    for (const auto& field : record.fields()) {
      row.push_back(field.has_text() ? OneLine(field.text()) : "-");
    }
    table_->Add(std::move(row));
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

std::string DoubtsOf(const RecordListEnd& end) {
  const ListRecordsResponse& last = end.last;
  std::string text;
  for (int i = 0; i < last.num_lacking_size(); ++i) {
    if (last.num_lacking(i) == 0) continue;
    text += fmt::format("{} of {} samples have no single value {}, and do not match\n",
                        WithThousands(last.num_lacking(i)),
                        WithThousands(last.num_samples_done() - last.num_unreadable()),
                        OneLine(end.columns[static_cast<size_t>(i)]));
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
