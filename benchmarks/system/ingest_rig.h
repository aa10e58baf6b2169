// The base of ingest benchmarks: a PostgreSQL and a storage service without its gRPC face, in their
// own folder.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "benchmarks/fail.h"
#include "db/database.h"
#include "db/private_postgres.h"
#include "storage/catalog/dataset_catalog.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/ingest/ingestor.h"

namespace tidemill::benchmarks {

class IngestRig {
 public:
  // Returns the rig of this program. It is below TIDEMILL_BENCH_FOLDER, or /tmp. When the program
  // ends normally, the server is stopped and the folder removed.
  static IngestRig& Make();

  // Returns the path of a folder for data, which exists.
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
  std::unique_ptr<storage::LocalFiles> source_;
  std::unique_ptr<storage::UnpackedCache> cache_;
  std::unique_ptr<storage::DatasetCatalog> catalog_;
  std::unique_ptr<storage::Ingestor> ingestor_;
};

}  // namespace tidemill::benchmarks
