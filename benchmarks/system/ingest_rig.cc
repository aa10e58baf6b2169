#include "benchmarks/system/ingest_rig.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/files.h"
#include "db/migrations.h"
#include "storage/migrations.h"

namespace tidemill::benchmarks {

namespace {

// Lives until Remove().
IngestRig* the_rig = nullptr;

std::string NewFolder() {
  const char* const below = std::getenv("TIDEMILL_BENCH_FOLDER");
  std::string path = std::string(below == nullptr ? "/tmp" : below) + "/tidemill-ingest-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) Fail("cannot make " + path);
  ::chmod(path.c_str(), 0711);  // The user of PostgreSQL passes through.
  return path;
}

}  // namespace

IngestRig& IngestRig::Make() {
  std::atexit(&IngestRig::Remove);
  new IngestRig();
  return *the_rig;
}

void IngestRig::Remove() {
  if (the_rig == nullptr) return;
  if (the_rig->postgres_ != nullptr) the_rig->postgres_->Stop().IgnoreError();
  files::Remove(the_rig->folder_).IgnoreError();
}

IngestRig::IngestRig() {
  folder_ = NewFolder();
  the_rig = this;
  postgres_ = Require(db::PrivatePostgres::Start(folder_ + "/cluster", folder_ + "/s"));
  database_ = Require(db::Database::Connect(postgres_->ConnectionString()));
  Require(db::Migrate(*database_, "storage", storage::Migrations()));
  source_ = std::make_unique<storage::LocalFiles>(
      std::make_shared<storage::AllowedRoots>(storage::AllowedRootsOptions{.roots = {folder_}}));
  cache_ =
      Require(storage::UnpackedCache::Create({.folder = folder_ + "/state/unpacked"}, *source_));
  catalog_ = std::make_unique<storage::DatasetCatalog>(
      *database_, *cache_, storage::CatalogOptions{.folder = folder_ + "/state"});
  ingestor_ = std::make_unique<storage::Ingestor>(*database_, *catalog_, *cache_,
                                                  storage::IngestorOptions{});
}

std::string IngestRig::Folder(const std::string& name) const {
  const std::string path = folder_ + "/" + name;
  Require(files::CreateFolder(path));
  return path;
}

}  // namespace tidemill::benchmarks
