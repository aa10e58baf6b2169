// tidemill datasets records, and the streams of ListRecords for other commands
#pragma once

#include <functional>

#include "cli/command_line/command.h"
#include "cli/stack/session.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::cli {

// What a list of records says at its end.
struct RecordListEnd {
  std::vector<std::string> columns;
  storage::v1::ListRecordsResponse last;
};

// Calls `on_records` with each message that has records. Shows the progress on stderr at a terminal
// unless `quiet`.
absl::StatusOr<RecordListEnd> ListRecords(
    const Session& session, const storage::v1::ListRecordsRequest& request, bool quiet,
    const std::function<void(const RecordListEnd& so_far,
                             const storage::v1::ListRecordsResponse& message)>& on_records);

// What to say of samples that could not be read, and of those that lack a column; empty when there
// are none. Lines with their ends.
std::string DoubtsOf(const RecordListEnd& end);

void AddRecordsCommand(Command& datasets);

}  // namespace tidemill::cli
