// What benchmarks of ingest run on: a PostgreSQL and a storage service without its gRPC face, in a
// folder of their own.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "db/database.h"
#include "db/private_postgres.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/ingest/ingestor.h"

namespace tidemill::benchmarks {

// Ends the program. What must go with it goes first: see IngestRig::Make.
[[noreturn]] void Fail(const std::string& reason);

inline void Must(const absl::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}
template <typename T>
T Must(absl::StatusOr<T> value) {
  Must(value.status());
  return *std::move(value);
}

class IngestRig {
 public:
  // The one of this program. Below TIDEMILL_BENCH_FOLDER, /tmp unless it says otherwise; removed,
  // its server stopped, when the program ends by itself.
  static IngestRig& Make();

  // Of a folder for data, which exists.
  std::string Folder(const std::string& name) const;

  std::string connection_string() const { return postgres_->ConnectionString(); }
  db::Database& database() { return *database_; }
  storage::DatasetCatalog& catalog() { return *catalog_; }
  storage::Ingestor& ingestor() { return *ingestor_; }

 private:
  IngestRig();
  static void Remove();

  std::string folder_;
  std::unique_ptr<db::PrivatePostgres> postgres_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<storage::UnpackedCache> cache_;
  std::unique_ptr<storage::DatasetCatalog> catalog_;
  std::unique_ptr<storage::Ingestor> ingestor_;
};

}  // namespace tidemill::benchmarks
