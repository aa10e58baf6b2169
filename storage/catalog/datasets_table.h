// SQL on storage.datasets and on the tables that depend on it. All functions run in the caller's
// transaction. They throw what libpqxx throws; Database::Transact catches it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "base/time.h"
#include "storage/catalog/dataset_catalog.h"
#include <pqxx/pqxx>

namespace tidemill::storage::datasets_table {

struct Row {
  DatasetId id;
  std::string name_space;
  std::string name;
  int64_t slot = 0;
  std::string registered_spec;
  std::string spec;
  Timestamp created_at;
  bool superseded = false;
  std::optional<DatasetId> predecessor = std::nullopt;  // While its keys are taken over.
  bool replaces_predecessor = false;
};

std::optional<Row> Find(pqxx::work& work, const std::string& name_space, const std::string& name);
std::optional<Row> Find(pqxx::work& work, DatasetId id);
// Returns the version that is taking over the keys of a dataset.
std::optional<Row> FindSuccessor(pqxx::work& work, DatasetId id);
std::vector<Row> List(pqxx::work& work, const std::optional<std::string>& name_space);

// Inserts the dataset, its watermark and its partition of the samples.
DatasetId Insert(pqxx::work& work, const std::string& name_space, const std::string& name,
                 const std::string& registered_spec, const std::string& spec);

// A dataset that has followed another, under its name.
struct Succession {
  DatasetId fresh;
  std::string old_name;  // The new name of the old one; empty when it was deleted.
};
// Inserts a version of `old` with another spec. The old one gets the name NAME@NUMBER and is
// deleted by FinishTakeOver() if `replace` is true. The new one is empty until then.
Succession Succeed(pqxx::work& work, const Row& old, const std::string& registered_spec,
                   const std::string& spec, bool replace);
// Makes what a version has ingested visible.
void FinishTakeOver(pqxx::work& work, const Row& fresh);

// Returns the last key that was given. The dataset must exist.
int64_t AllocatedKey(pqxx::work& work, DatasetId id);
// The hashes of the records that were deleted on request from earlier versions of the dataset.
std::vector<int64_t> DeletedRecordHashes(pqxx::work& work, DatasetId id);
void AddDeletedRecordHashes(pqxx::work& work, DatasetId id, const std::vector<int64_t>& hashes);

void SetSpec(pqxx::work& work, DatasetId id, const std::string& spec);
// Deletes all rows of a dataset and its partition.
void Delete(pqxx::work& work, DatasetId id);

// NOT_FOUND when the dataset is unknown.
absl::StatusOr<DatasetSnapshot> Snapshot(pqxx::work& work, DatasetId id);
absl::StatusOr<DatasetCounts> Count(pqxx::work& work, DatasetId id);

// Adds tombstones for the keys that exist and have none. Returns how many it added. NOT_FOUND when
// the dataset is unknown.
absl::StatusOr<int64_t> AddTombstones(pqxx::work& work, DatasetId id,
                                      const std::vector<SampleToDelete>& samples);
// Returns the tombstones that AddTombstones() added, in the order in which it added them, without
// the first `num_known`.
std::vector<SampleToDelete> DeletedOnRequest(pqxx::work& work, DatasetId id, int64_t num_known);

// Replaces the set of quarantined files whose paths cannot be stored. Returns how many of them are
// new.
int64_t SetUnnamed(pqxx::work& work, DatasetId id, const std::vector<std::string>& paths);

// Returns how many were not recorded before.
int64_t QuarantineSamples(pqxx::work& work, DatasetId id, const std::vector<int64_t>& keys,
                          const std::vector<std::string>& reasons);
std::vector<DatasetCatalog::Quarantined> ListQuarantine(pqxx::work& work, DatasetId id,
                                                        int64_t most, int64_t after);

}  // namespace tidemill::storage::datasets_table
