// tidemill datasets records, and the streams of ListRecords for other commands
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "cli/command_line/command.h"
#include "cli/stack/session.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::cli {

// The end of a list of records.
struct RecordListEnd {
  std::vector<std::string> columns;
  // The first three samples that do not match.
  std::vector<storage::v1::ListRecordsResponse::Record> others;
  storage::v1::ListRecordsResponse last;
};

// Calls `on_records` with each message that has records. Shows the progress on stderr at a terminal
// unless `quiet`.
absl::StatusOr<RecordListEnd> ListRecords(
    const Session& session, const storage::v1::ListRecordsRequest& request, bool quiet,
    const std::function<void(const RecordListEnd& so_far,
                             const storage::v1::ListRecordsResponse& message)>& on_records);

// Returns, by column, how many samples lack it, have none, or have one that cannot be compared.
nlohmann::ordered_json CountsToJson(const RecordListEnd& end);

// Returns lines about samples that could not be read, and about those with a column that is missing
// or cannot be compared, each with its line end. Empty when there are none.
std::string DoubtsOf(const RecordListEnd& end);

void AddRecordsCommand(Command& datasets);

}  // namespace tidemill::cli
