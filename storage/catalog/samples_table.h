// SQL that looks up single rows of storage.samples. The functions run in the caller's transaction.
// They throw what libpqxx throws; Database::Transact catches it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/id.h"
#include <pqxx/pqxx>

namespace tidemill::storage::samples_table {

// Returns the key of each position in a file that holds a sample, deleted or not. `path` is
// absolute. Time: the samples of the file.
std::map<int64_t, int64_t> KeysAt(pqxx::work& work, DatasetId dataset, const std::string& path,
                                  const std::vector<int64_t>& positions);

// Returns the position of each key whose record is in its file. `keys` ascend. Time: the samples
// between the first and the last.
std::map<int64_t, int64_t> PositionsOf(pqxx::work& work, DatasetId dataset,
                                       const std::vector<int64_t>& keys);

}  // namespace tidemill::storage::samples_table
