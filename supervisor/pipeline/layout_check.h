// Whether a file is laid out as its dataset's spec says: encoding, header, delimiter.
#pragma once

#include <optional>
#include <vector>

#include "config/remark.h"
#include "supervisor/pipeline/first_records.h"

namespace tidemill::supervisor {

// What keeps the file from being read as CSV in UTF-8 at all: no bytes, another encoding, a header
// that is not whole or names a column twice. Then nothing else can be said of it.
std::optional<config::Remark> FindLayoutProblem(const FileStart& start,
                                                const storage::DelimitedText& text);

// What is wrong with `delimiter` or `header` when columns that the spec names are not there;
// std::nullopt when neither explains it, or all are there.
std::optional<config::Remark> ExplainMissingColumns(const FileStart& start,
                                                    const FirstRecords& records,
                                                    const storage::DatasetSpec& spec);

// What to write for a column that is not there: another one, or all there are.
std::string HintForColumn(const std::string& column, const std::vector<std::string>& columns);

}  // namespace tidemill::supervisor
