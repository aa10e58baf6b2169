// Checks the layout of a file against its dataset's spec: encoding, header and delimiter.
#pragma once

#include <optional>
#include <vector>

#include "config/remark.h"
#include "supervisor/checks/first_records.h"

namespace tidemill::supervisor {

// Returns the reason why the file cannot be read as CSV in UTF-8 at all: it is empty, has another
// encoding, or has a header that is not complete or names a column twice. Such a file is not
// checked further.
std::optional<config::Remark> FindLayoutProblem(const FileStart& start,
                                                const storage::DelimitedText& text);

// Returns what is wrong with `delimiter` or `header` when columns that the spec names are missing.
// std::nullopt when neither explains it, or when no column is missing.
std::optional<config::Remark> ExplainMissingColumns(const FileStart& start,
                                                    const FirstRecords& records,
                                                    const storage::DatasetSpec& spec);

// Says what to write instead of a missing column: another column, or the list of all.
std::string HintForColumn(const std::string& column, const std::vector<std::string>& columns);

}  // namespace tidemill::supervisor
