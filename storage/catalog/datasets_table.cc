#include "storage/catalog/datasets_table.h"

#include "fmt/format.h"

#include "db/sql_array.h"
#include "storage/catalog/left_out_table.h"

namespace tidemill::storage::datasets_table {

namespace {

#define TIDEMILL_MICROS(column) "(extract(epoch FROM " column ") * 1000000)::bigint"

#define TIDEMILL_SELECT_DATASETS                                                       \
  "SELECT dataset_id, namespace, name, slot, registered_spec, spec, " TIDEMILL_MICROS( \
      "created_at") ", superseded, predecessor_id, replaces_predecessor FROM storage.datasets "

constexpr char kFindByName[] = TIDEMILL_SELECT_DATASETS "WHERE namespace = $1 AND name = $2";
constexpr char kFindById[] = TIDEMILL_SELECT_DATASETS "WHERE dataset_id = $1";
constexpr char kFindSuccessor[] = TIDEMILL_SELECT_DATASETS "WHERE predecessor_id = $1";
constexpr char kList[] =
    TIDEMILL_SELECT_DATASETS "WHERE $1::text IS NULL OR namespace = $1 ORDER BY namespace, name";
constexpr char kInsert[] = R"(
  INSERT INTO storage.datasets (namespace, name, registered_spec, spec)
  VALUES ($1, $2, $3, $4) RETURNING dataset_id)";
constexpr char kInsertWatermark[] = R"(
  INSERT INTO storage.watermarks (dataset_id, committed_key, allocated_key)
  SELECT dataset_id, slot << $2::int, slot << $2::int FROM storage.datasets WHERE dataset_id = $1)";
// NAME@1 is the first version that was superseded, NAME@2 the next.
constexpr char kSupersede[] = R"(
  UPDATE storage.datasets AS old SET superseded = true, name = old.name || '@' ||
    (SELECT coalesce(max(substring(name FROM '[0-9]+$')::bigint), 0) + 1 FROM storage.datasets
     WHERE namespace = old.namespace AND starts_with(name, old.name || '@'))
  WHERE dataset_id = $1 RETURNING name)";
constexpr char kSucceed[] = R"(
  UPDATE storage.datasets AS fresh
  SET slot = $2, predecessor_id = $3, replaces_predecessor = $4 WHERE dataset_id = $1)";
constexpr char kContinueKeys[] = R"(
  UPDATE storage.watermarks SET committed_key = $2::bigint << $3::int, allocated_key = $4
  WHERE dataset_id = $1)";
constexpr char kShowTakenOver[] =
    "UPDATE storage.watermarks SET committed_key = allocated_key WHERE dataset_id = $1";
constexpr char kForgetPredecessor[] =
    "UPDATE storage.datasets SET predecessor_id = NULL, replaces_predecessor = false "
    "WHERE dataset_id = $1";
constexpr char kAllocatedKey[] =
    "SELECT allocated_key FROM storage.watermarks WHERE dataset_id = $1";
constexpr char kDeletedRecords[] =
    "SELECT record_hash FROM storage.deleted_records WHERE dataset_id = $1";
constexpr char kAddDeletedRecords[] = R"(
  INSERT INTO storage.deleted_records (dataset_id, record_hash)
  SELECT $1::bigint, hash FROM unnest($2::bigint[]) AS hash ON CONFLICT DO NOTHING)";
constexpr char kSetSpec[] = "UPDATE storage.datasets SET spec = $2 WHERE dataset_id = $1";

// The partition is created separately and then attached, because CREATE TABLE ... PARTITION OF
// waits for every open ingest. The CHECK saves ATTACH a scan, and is useless afterwards.
constexpr char kCreatePartition[] = R"(
  CREATE TABLE storage.samples_{0} (LIKE storage.samples INCLUDING ALL,
                                    CONSTRAINT samples_{0}_check CHECK (dataset_id = {0}));
  ALTER TABLE storage.samples ATTACH PARTITION storage.samples_{0} FOR VALUES IN ({0});
  ALTER TABLE storage.samples_{0} DROP CONSTRAINT samples_{0}_check)";
constexpr char kDropPartition[] = "DROP TABLE IF EXISTS storage.samples_{0}";
constexpr const char* kDeleteRows[] = {
    "DELETE FROM storage.quarantine WHERE dataset_id = $1",
    "DELETE FROM storage.left_out WHERE dataset_id = $1",
    "DELETE FROM storage.tombstones WHERE dataset_id = $1",
    "DELETE FROM storage.deleted_records WHERE dataset_id = $1",
    "DELETE FROM storage.segments WHERE dataset_id = $1",
    "DELETE FROM storage.files WHERE dataset_id = $1",
    "DELETE FROM storage.watermarks WHERE dataset_id = $1",
    "DELETE FROM storage.datasets WHERE dataset_id = $1",
};

constexpr char kSnapshot[] = R"(
  SELECT committed_key,
         coalesce((SELECT max(sequence) FROM storage.tombstones WHERE dataset_id = $1), 0)
  FROM storage.watermarks WHERE dataset_id = $1)";
constexpr char kCountFiles[] =
    "SELECT count(*) FROM storage.files WHERE dataset_id = $1 AND state IN ('ingested', 'partial')";
constexpr char kCountQuarantine[] =
    "SELECT count(*), count(sample_key) FROM storage.quarantine "
    "WHERE dataset_id = $1 AND NOT is_remark";
// Counts in the snapshot, whatever has been committed since: statements of a transaction see more
// and more.
constexpr char kCountDeleted[] =
    "SELECT count(*) FILTER (WHERE NOT is_gap), count(*) FILTER (WHERE on_request), "
    "count(*) FILTER (WHERE is_gap) FROM storage.tombstones "
    "WHERE dataset_id = $1 AND sequence <= $2 AND sample_key <= $3";
constexpr char kCountSamples[] =
    "SELECT coalesce(sum(num_samples), 0)::bigint, " TIDEMILL_MICROS(
        "min(first_event_time)") ", " TIDEMILL_MICROS("max(last_event_time)")
        " FROM storage.segments WHERE dataset_id = $1 AND first_key <= $2";

constexpr char kLock[] = "SELECT 1 FROM storage.watermarks WHERE dataset_id = $1 FOR UPDATE";
// A tombstone of a record that is gone remains. But an equal record must not come back, so that the
// record is stored, too.
constexpr char kBury[] = R"(
  WITH buried AS (
    INSERT INTO storage.tombstones (dataset_id, sample_key, on_request, record_identity)
    SELECT $1, key, true, record_identity
    FROM (SELECT DISTINCT ON (key) key, record_identity
          FROM unnest($2::bigint[], $3::bigint[]) AS samples (key, record_identity)) AS wanted
    WHERE EXISTS (SELECT 1 FROM storage.segments
                  WHERE dataset_id = $1 AND first_key <= key AND key < first_key + num_samples)
    ORDER BY key
    ON CONFLICT (dataset_id, sample_key) DO UPDATE
    SET record_identity = excluded.record_identity
    WHERE tombstones.record_identity IS NULL AND excluded.record_identity IS NOT NULL
    RETURNING xmax = 0 AS is_new)
  SELECT count(*) FILTER (WHERE is_new) FROM buried)";
constexpr char kDeletedOnRequest[] = R"(
  SELECT sample_key, record_identity FROM storage.tombstones
  WHERE dataset_id = $1 AND (on_request OR record_identity IS NOT NULL)
  ORDER BY sequence OFFSET $2)";
constexpr char kQuarantineSamples[] = R"(
  INSERT INTO storage.quarantine (dataset_id, path, position, reason, sample_key)
  SELECT samples.dataset_id, files.path, samples.position, bad.reason, samples.sample_key
  FROM unnest($2::bigint[], $3::text[]) AS bad (sample_key, reason)
  JOIN storage.samples ON samples.dataset_id = $1 AND samples.sample_key = bad.sample_key
  JOIN storage.files ON files.file_id = samples.file_id
  ON CONFLICT (dataset_id, sample_key) WHERE sample_key IS NOT NULL DO NOTHING)";
// Only entries of this kind have the reason.
constexpr char kForgetUnnamed[] = R"(
  DELETE FROM storage.quarantine
  WHERE dataset_id = $1 AND position IS NULL AND sample_key IS NULL AND reason = $2
    AND path <> ALL($3::text[]))";
constexpr char kQuarantineUnnamed[] = R"(
  INSERT INTO storage.quarantine (dataset_id, path, reason)
  SELECT $1::bigint, found.path, $2::text FROM unnest($3::text[]) AS found (path)
  WHERE NOT EXISTS (SELECT 1 FROM storage.quarantine AS known
                    WHERE known.dataset_id = $1::bigint AND known.path = found.path
                      AND known.reason = $2::text))";
constexpr char kUnnamedReason[] =
    "the file's path is not UTF-8 or has more than 2,000 bytes, so the file is not ingested; "
    "rename it";
constexpr char kQuarantine[] =
    "SELECT path, position, reason, " TIDEMILL_MICROS("at") ", sample_key, quarantine_id, is_remark"
    " FROM storage.quarantine WHERE dataset_id = $1 AND quarantine_id > $3"
    " ORDER BY quarantine_id LIMIT $2";

Row ToRow(const pqxx::row& row) {
  Row dataset{.id = {row[0].as<int64_t>()},
              .name_space = row[1].as<std::string>(),
              .name = row[2].as<std::string>(),
              .slot = row[3].as<int64_t>(),
              .registered_spec = row[4].as<std::string>(),
              .spec = row[5].as<std::string>(),
              .created_at = {row[6].as<int64_t>()},
              .superseded = row[7].as<bool>(),
              .replaces_predecessor = row[9].as<bool>()};
  if (!row[8].is_null()) dataset.predecessor = DatasetId{row[8].as<int64_t>()};
  return dataset;
}

std::optional<Row> ToOneRow(const pqxx::result& found) {
  if (found.empty()) return std::nullopt;
  return ToRow(found[0]);
}

std::optional<Timestamp> ToTime(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return Timestamp{field.as<int64_t>()};
}

// PostgreSQL's text form of an array, to be bound as one parameter.
std::string ToArray(const std::vector<int64_t>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ","));
}

}  // namespace

std::optional<Row> Find(pqxx::work& work, const std::string& name_space, const std::string& name) {
  return ToOneRow(work.exec_params(kFindByName, name_space, name));
}

std::optional<Row> Find(pqxx::work& work, DatasetId id) {
  return ToOneRow(work.exec_params(kFindById, id.value));
}

std::optional<Row> FindSuccessor(pqxx::work& work, DatasetId id) {
  return ToOneRow(work.exec_params(kFindSuccessor, id.value));
}

std::vector<Row> List(pqxx::work& work, const std::optional<std::string>& name_space) {
  const char* const wanted = name_space ? name_space->c_str() : nullptr;
  std::vector<Row> rows;
  for (const pqxx::row& row : work.exec_params(kList, wanted)) rows.push_back(ToRow(row));
  return rows;
}

DatasetId Insert(pqxx::work& work, const std::string& name_space, const std::string& name,
                 const std::string& registered_spec, const std::string& spec) {
  const DatasetId id{
      work.exec_params1(kInsert, name_space, name, registered_spec, spec)[0].as<int64_t>()};
  work.exec_params0(kInsertWatermark, id.value, kSlotShift);
  work.exec0(fmt::format(kCreatePartition, id.value));  // A table's name cannot be bound.
  return id;
}

Succession Succeed(pqxx::work& work, const Row& old, const std::string& registered_spec,
                   const std::string& spec, bool replace) {
  work.exec_params1(kLock, old.id.value);
  const int64_t allocated_key = AllocatedKey(work, old.id);
  Succession succession;
  // A version that has not taken over yet was never seen: its successor takes over instead.
  const bool was_seen = !old.predecessor.has_value();
  if (was_seen) {
    succession.old_name = work.exec_params1(kSupersede, old.id.value)[0].as<std::string>();
  } else {
    Delete(work, old.id);
  }
  succession.fresh = Insert(work, old.name_space, old.name, registered_spec, spec);
  const DatasetId predecessor = old.predecessor.value_or(old.id);
  work.exec_params0(kSucceed, succession.fresh.value, old.slot, predecessor.value,
                    was_seen ? replace : old.replaces_predecessor);
  work.exec_params0(kContinueKeys, succession.fresh.value, old.slot, kSlotShift, allocated_key);
  return succession;
}

void FinishTakeOver(pqxx::work& work, const Row& fresh) {
  work.exec_params0(kShowTakenOver, fresh.id.value);
  work.exec_params0(kForgetPredecessor, fresh.id.value);
  if (fresh.predecessor && fresh.replaces_predecessor) Delete(work, *fresh.predecessor);
}

int64_t AllocatedKey(pqxx::work& work, DatasetId id) {
  return work.exec_params1(kAllocatedKey, id.value)[0].as<int64_t>();
}

std::vector<int64_t> DeletedRecordHashes(pqxx::work& work, DatasetId id) {
  std::vector<int64_t> hashes;
  for (const pqxx::row& row : work.exec_params(kDeletedRecords, id.value)) {
    hashes.push_back(row[0].as<int64_t>());
  }
  return hashes;
}

void AddDeletedRecordHashes(pqxx::work& work, DatasetId id, const std::vector<int64_t>& hashes) {
  work.exec_params0(kAddDeletedRecords, id.value, ToArray(hashes));
}

void SetSpec(pqxx::work& work, DatasetId id, const std::string& spec) {
  work.exec_params0(kSetSpec, id.value, spec);
}

void Delete(pqxx::work& work, DatasetId id) {
  work.exec0(fmt::format(kDropPartition, id.value));
  for (const char* const statement : kDeleteRows) work.exec_params0(statement, id.value);
}

absl::StatusOr<DatasetSnapshot> Snapshot(pqxx::work& work, DatasetId id) {
  const pqxx::result found = work.exec_params(kSnapshot, id.value);
  if (found.empty()) return NotFound("dataset {} is unknown", id.value);
  return DatasetSnapshot{.dataset = id,
                         .committed_key = found[0][0].as<int64_t>(),
                         .tombstone_sequence = found[0][1].as<int64_t>()};
}

absl::StatusOr<DatasetCounts> Count(pqxx::work& work, DatasetId id) {
  DatasetCounts counts;
  ASSIGN_OR_RETURN(counts.snapshot, Snapshot(work, id));
  counts.num_files = work.exec_params1(kCountFiles, id.value)[0].as<int64_t>();
  const pqxx::row quarantined = work.exec_params1(kCountQuarantine, id.value);
  counts.num_quarantined = quarantined[0].as<int64_t>();
  counts.num_bad_samples = quarantined[1].as<int64_t>();
  counts.left_out = left_out_table::Read(work, id);
  const DatasetSnapshot& snapshot = counts.snapshot;
  const pqxx::row deleted = work.exec_params1(kCountDeleted, id.value, snapshot.tombstone_sequence,
                                              snapshot.committed_key);
  counts.num_deleted = deleted[0].as<int64_t>();
  counts.num_deleted_on_request = deleted[1].as<int64_t>();
  const pqxx::row samples = work.exec_params1(kCountSamples, id.value, snapshot.committed_key);
  counts.num_samples = samples[0].as<int64_t>() - counts.num_deleted - deleted[2].as<int64_t>();
  counts.first_event_time = ToTime(samples[1]);
  counts.last_event_time = ToTime(samples[2]);
  return counts;
}

absl::StatusOr<int64_t> Bury(pqxx::work& work, DatasetId id,
                             const std::vector<SampleToDelete>& samples) {
  if (work.exec_params(kLock, id.value).empty()) {
    return NotFound("dataset {} is unknown", id.value);
  }
  db::SqlArray keys;
  db::SqlArray identities;
  for (const SampleToDelete& sample : samples) {
    keys.Add(sample.key);
    identities.Add(sample.record_identity);
  }
  return work.exec_params1(kBury, id.value, keys.text(), identities.text())[0].as<int64_t>();
}

std::vector<SampleToDelete> DeletedOnRequest(pqxx::work& work, DatasetId id, int64_t num_known) {
  std::vector<SampleToDelete> deleted;
  for (const pqxx::row& row : work.exec_params(kDeletedOnRequest, id.value, num_known)) {
    deleted.push_back({.key = row[0].as<int64_t>()});
    if (!row[1].is_null()) deleted.back().record_identity = row[1].as<int64_t>();
  }
  return deleted;
}

int64_t QuarantineSamples(pqxx::work& work, DatasetId id, const std::vector<int64_t>& keys,
                          const std::vector<std::string>& reasons) {
  db::SqlArray texts;
  for (const std::string& reason : reasons) texts.Add(reason);
  return static_cast<int64_t>(
      work.exec_params(kQuarantineSamples, id.value, ToArray(keys), texts.text()).affected_rows());
}

int64_t SetUnnamed(pqxx::work& work, DatasetId id, const std::vector<std::string>& paths) {
  db::SqlArray texts;
  for (const std::string& path : paths) texts.Add(path);
  work.exec_params0(kForgetUnnamed, id.value, kUnnamedReason, texts.text());
  return static_cast<int64_t>(
      work.exec_params(kQuarantineUnnamed, id.value, kUnnamedReason, texts.text()).affected_rows());
}

std::vector<DatasetCatalog::Quarantined> ListQuarantine(pqxx::work& work, DatasetId id,
                                                        int64_t most, int64_t after) {
  std::vector<DatasetCatalog::Quarantined> entries;
  for (const pqxx::row& row : work.exec_params(kQuarantine, id.value, most, after)) {
    DatasetCatalog::Quarantined entry;
    entry.path = row[0].as<std::string>();
    if (!row[1].is_null()) entry.position = row[1].as<int64_t>();
    entry.reason = row[2].as<std::string>();
    entry.at = {row[3].as<int64_t>()};
    if (!row[4].is_null()) entry.sample_key = row[4].as<int64_t>();
    entry.number = row[5].as<int64_t>();
    entry.is_remark = row[6].as<bool>();
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace tidemill::storage::datasets_table
