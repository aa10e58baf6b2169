#include "storage/catalog/samples_table.h"

#include "db/sql_array.h"

namespace tidemill::storage::samples_table {

namespace {

// If each sample is a file, the file knows its sample.
constexpr char kFindWholeFile[] = R"(
  SELECT 0::bigint, sample_key FROM storage.files
  WHERE dataset_id = $1 AND path = $2 AND sample_key IS NOT NULL AND 0 = ANY($3::bigint[]))";
// The segments tell between which keys to look: there is no index by file.
constexpr char kFindInFile[] = R"(
  WITH range AS (
    SELECT files.file_id, min(first_key) AS first, max(first_key + num_samples) AS key_limit
    FROM storage.files JOIN storage.segments USING (file_id)
    WHERE files.dataset_id = $1 AND path = $2
    GROUP BY files.file_id)
  SELECT position, sample_key FROM storage.samples, range
  WHERE samples.dataset_id = $1 AND samples.file_id = range.file_id
    AND sample_key >= range.first AND sample_key < range.key_limit
    AND position = ANY($3::bigint[]))";
constexpr char kFindPositions[] = R"(
  SELECT samples.sample_key, position
  FROM storage.samples JOIN unnest($4::bigint[]) AS wanted (key) ON sample_key = wanted.key
  WHERE samples.dataset_id = $1 AND sample_key BETWEEN $2 AND $3 AND position IS NOT NULL)";

std::string ArrayOf(const std::vector<int64_t>& numbers) {
  db::SqlArray array;
  for (const int64_t number : numbers) array.Add(number);
  return array.text();
}

}  // namespace

std::map<int64_t, int64_t> KeysAt(pqxx::work& work, DatasetId dataset, const std::string& path,
                                  const std::vector<int64_t>& positions) {
  std::map<int64_t, int64_t> keys;
  for (const char* const statement : {kFindWholeFile, kFindInFile}) {
    for (const pqxx::row& row :
         work.exec_params(statement, dataset.value, path, ArrayOf(positions))) {
      keys[row[0].as<int64_t>()] = row[1].as<int64_t>();
    }
  }
  return keys;
}

std::map<int64_t, int64_t> PositionsOf(pqxx::work& work, DatasetId dataset,
                                       const std::vector<int64_t>& keys) {
  std::map<int64_t, int64_t> positions;
  if (keys.empty()) return positions;
  for (const pqxx::row& row :
       work.exec_params(kFindPositions, dataset.value, keys.front(), keys.back(), ArrayOf(keys))) {
    positions[row[0].as<int64_t>()] = row[1].as<int64_t>();
  }
  return positions;
}

}  // namespace tidemill::storage::samples_table
