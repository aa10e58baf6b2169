// Rows of the tables, and objects of the JSON, that show single records of a dataset.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::cli {

using Record = storage::v1::ListRecordsResponse::Record;

// `columns` are the columns of the condition, whose fields the records have; `classes` are the
// names of the dataset's classes.
std::vector<std::string> RecordHeader(const std::vector<std::string>& columns);
std::vector<std::string> RecordRow(const Record& record, const std::vector<std::string>& classes);
std::string RecordTable(std::span<const Record> records, const std::vector<std::string>& columns,
                        const std::vector<std::string>& classes);
nlohmann::ordered_json RecordToJson(const Record& record, const std::vector<std::string>& columns,
                                    const std::vector<std::string>& classes);

}  // namespace tidemill::cli
