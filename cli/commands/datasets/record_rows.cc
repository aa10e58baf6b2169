#include "cli/commands/datasets/record_rows.h"

#include <utility>

#include "base/time.h"
#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

// The name of a class, a number, or "-".
std::string LabelText(const Record& record, const std::vector<std::string>& classes) {
  if (record.has_real_label()) return fmt::format("{}", record.real_label());
  if (!record.has_class_label()) return "-";
  const auto place = static_cast<size_t>(record.class_label());
  return place < classes.size() ? classes[place] : std::to_string(record.class_label());
}

}  // namespace

std::vector<std::string> RecordHeader(const std::vector<std::string>& columns) {
  std::vector<std::string> header = {"KEY", "FILE", "RECORD", "TIME", "LABEL"};
  for (const std::string& column : columns) header.push_back(OneLine(column));
  return header;
}

std::vector<std::string> RecordRow(const Record& record, const std::vector<std::string>& classes) {
  std::vector<std::string> row = {std::to_string(record.sample_key()), OneLine(record.path()),
                                  std::to_string(record.position()),
                                  FormatTimestampShort({record.event_time()}),
                                  OneLine(LabelText(record, classes))};
  for (const auto& field : record.fields()) {
    row.push_back(field.has_text() ? OneLine(field.text()) : "-");
  }
  return row;
}

std::string RecordTable(std::span<const Record> records, const std::vector<std::string>& columns,
                        const std::vector<std::string>& classes) {
  Table table(RecordHeader(columns));
  for (const Record& record : records) table.Add(RecordRow(record, classes));
  return table.ToString();
}

nlohmann::ordered_json RecordToJson(const Record& record, const std::vector<std::string>& columns,
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

}  // namespace tidemill::cli
