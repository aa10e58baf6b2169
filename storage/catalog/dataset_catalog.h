// Which datasets there are.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/time.h"
#include "db/database.h"
#include "storage/catalog/left_out_table.h"
#include "storage/client/dataset_spec.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/filesystems/data_roots.h"

namespace tidemill::storage {

// A dataset's keys are slot << kSlotShift | counter, the counter from 1 on.
inline constexpr int kSlotShift = 44;

// A frozen view of a dataset: samples with keys at or below the watermark, less the tombstones up
// to the sequence.
struct DatasetSnapshot {
  DatasetId dataset;
  int64_t committed_key = 0;
  int64_t tombstone_sequence = 0;
};

struct DatasetEntry {
  DatasetId id;
  std::string name_space;
  std::string name;
  int64_t slot = 0;
  std::string spec_text;  // Canonical YAML, completed.
  DatasetSpec spec;
  Timestamp created_at;
};

struct DatasetCounts {
  int64_t num_samples = 0;  // Deleted ones left out.
  int64_t num_files = 0;
  int64_t num_quarantined = 0;
  int64_t num_deleted = 0;
  std::optional<Timestamp> first_event_time;
  std::optional<Timestamp> last_event_time;
  DatasetSnapshot snapshot;
  DatasetLeftOut left_out;
};

struct CatalogOptions {
  // "<state folder>/storage".
  std::string folder;
  // Absolute folders that datasets may lie in, and s3://bucket/folder.
  std::vector<std::string> allowed_roots;
  // A file with more of them, one a line, read again whenever a path is judged. Empty: none.
  std::string allowed_roots_file = {};
};

// The beginning of what a dataset would take in.
struct DatasetHead {
  // Below the dataset's folder; std::nullopt when no file is there.
  std::optional<std::string> first_file;
  // Of that file as it lies, packed or not: at most 64 KiB.
  std::string bytes;
};

// Runs in the transaction of a command, before it: the fence. May be empty.
using CommandGuard = std::function<absl::Status(pqxx::work&)>;
// Runs in the same transaction at its end, with the answer, to keep it for when the command is
// repeated.
template <typename Answer>
using AnswerKeeper = std::function<absl::Status(pqxx::work&, const Answer&)>;

// Registers, finds and deletes datasets. Thread-safe.
class DatasetCatalog {
 public:
  // `database` and `files` must outlive it; the schema must be migrated.
  DatasetCatalog(db::Database& database, UnpackedCache& files, CatalogOptions options);

  struct Registration {
    DatasetId id;
    bool created = false;
  };
  // Idempotent by (namespace, name, spec); `spec_text` is a DatasetSpec as YAML. INVALID_ARGUMENT
  // for a name that base/names.h does not allow and a spec that does not decode, whose path is
  // relative, no folder or outside the allowed roots; FAILED_PRECONDITION when the name has another
  // spec; as FileSystem::Probe for what a store refuses.
  absl::StatusOr<Registration> Register(const std::string& name_space, const std::string& name,
                                        const std::string& spec_text, const CommandGuard& guard,
                                        const AnswerKeeper<Registration>& keep = {});

  // NOT_FOUND for an unknown one, INVALID_ARGUMENT for what is no name. An empty namespace is
  // "default".
  absl::StatusOr<DatasetEntry> Find(const std::string& name_space, const std::string& name);
  absl::StatusOr<DatasetEntry> Find(DatasetId id);
  // std::nullopt for an unknown one; the spec need not parse.
  absl::StatusOr<std::optional<DatasetId>> FindId(const std::string& name_space,
                                                  const std::string& name);
  // All of a namespace in the order of their names; all namespaces when std::nullopt. Those whose
  // spec does not parse are left out with a warning.
  absl::StatusOr<std::vector<DatasetEntry>> List(const std::optional<std::string>& name_space);
  absl::StatusOr<DatasetCounts> Count(DatasetId id);
  absl::StatusOr<DatasetSnapshot> Snapshot(DatasetId id);

  // Forgets a dataset, its rows and column files, never the user's files, whether or not its spec
  // parses. Returns whether there was one. Waits for a running ingest of it.
  absl::StatusOr<bool> Delete(const std::string& name_space, const std::string& name,
                              const CommandGuard& guard, const AnswerKeeper<bool>& keep = {});

  // Marks samples as deleted; returns how many of the keys existed and were not deleted before.
  // NOT_FOUND for an unknown dataset.
  absl::StatusOr<int64_t> DeleteSamples(DatasetId id, const std::vector<int64_t>& keys,
                                        const CommandGuard& guard,
                                        const AnswerKeeper<int64_t>& keep = {});

  // Records samples that were of no use, each with its reason; returns how many were new.
  absl::StatusOr<int64_t> QuarantineSamples(DatasetId id, const std::vector<int64_t>& keys,
                                            const std::vector<std::string>& reasons,
                                            const CommandGuard& guard);

  // What could not be ingested or used, newest last; at most `limit` entries, 0 for all.
  struct Quarantined {
    std::string path;
    std::optional<int64_t> position;
    std::string reason;
    Timestamp at;
    std::optional<int64_t> sample_key;
  };
  absl::StatusOr<std::vector<Quarantined>> ListQuarantine(DatasetId id, int64_t limit);

  struct FileSizes {
    int64_t all_files = 0;              // Bytes of all of the dataset's files.
    std::map<FileId, int64_t> by_file;  // Of those that were asked for.
  };
  absl::StatusOr<FileSizes> SizesOf(DatasetId id, const std::vector<FileId>& files);

  // The allowed roots as they are now.
  DataRoots Roots() const;
  // Whether a file may be read, by them.
  bool Admits(const std::string& path) const { return Roots().Admits(path); }

  // Looks at what a dataset that need not be registered would take in. Codes as DataRoots::Resolve,
  // before anything of the path is touched, and as FileSystem::List and Open; INVALID_ARGUMENT for
  // a spec that does not decode.
  absl::StatusOr<DatasetHead> Peek(const std::string& spec_text) const;

  // Held while a dataset is ingested or deleted.
  std::shared_ptr<Mutex> LockOf(DatasetId id) ABSL_LOCKS_EXCLUDED(mutex_);

  const CatalogOptions& options() const { return options_; }

 private:
  absl::StatusOr<DatasetSpec> DecodeAndCheck(const std::string& name,
                                             const std::string& spec_text) const;
  // The folder that a path names. INVALID_ARGUMENT when it may not be read, or is none.
  absl::StatusOr<std::string> AdmitFolder(const std::string& path) const;
  // Datasets are listed again and again.
  void WarnOnce(DatasetId id, const std::string& name, const absl::Status& status)
      ABSL_LOCKS_EXCLUDED(mutex_);

  db::Database& database_;
  UnpackedCache& files_;
  const CatalogOptions options_;
  Mutex mutex_;
  std::map<DatasetId, std::shared_ptr<Mutex>> locks_ ABSL_GUARDED_BY(mutex_);
  std::set<DatasetId> unreadable_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
