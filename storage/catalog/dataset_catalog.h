// The catalogue of datasets.
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
#include "storage/catalog/files_table.h"
#include "storage/catalog/left_out_table.h"
#include "storage/compression/unpacked_cache.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::storage {

// The keys of a dataset are slot << kSlotShift | counter. The counter begins at 1.
inline constexpr int kSlotShift = 44;

// A frozen view of a dataset: the samples with keys at or below the watermark, except those with
// tombstones up to the sequence.
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
  // Whether a version with another spec has its name now. It is named NAME@NUMBER, and nothing is
  // ingested into it.
  bool superseded = false;
  // The version whose keys this one takes over at its first sync.
  std::optional<DatasetId> predecessor = std::nullopt;
};

struct DatasetCounts {
  int64_t num_samples = 0;  // Without deleted samples.
  int64_t num_files = 0;
  int64_t num_quarantined = 0;
  int64_t num_bad_samples = 0;  // How many of them are samples.
  int64_t num_deleted = 0;
  // How many of them were deleted by DeleteSamples(). The records of the others are gone.
  int64_t num_deleted_on_request = 0;
  std::optional<Timestamp> first_event_time;
  std::optional<Timestamp> last_event_time;
  DatasetSnapshot snapshot;
  DatasetLeftOut left_out;
};

struct SampleToDelete {
  int64_t key = 0;
  // See RecordIdentity(). Without it, an equal record may become a sample later.
  std::optional<int64_t> record_identity = std::nullopt;
};

struct CatalogOptions {
  // "<state folder>/storage".
  std::string folder;
};

// The beginning of the data that a dataset would ingest.
struct DatasetHead {
  // The path below the dataset's folder. std::nullopt when there is no file.
  std::optional<std::string> first_file;
  // The first bytes of that file as stored on disk, compressed or not. At most 64 KiB.
  std::string bytes;
};

// What to do when a name is registered with another spec.
//   kRefuse      nothing: FAILED_PRECONDITION
//   kNewVersion  the name goes to a new version; the one before it stays readable as NAME@NUMBER
//   kReplace     the same, and the one before it is deleted when the new one has been ingested
// A record that has the same bytes, label and time in both versions has the same key in both. A
// record that was deleted on request from the earlier one is left out of the new one. Cost: that of
// an ingest.
enum class OnOtherSpec { kRefuse, kNewVersion, kReplace };

// Runs in the transaction of a command, before the command: the fence. May be empty.
using CommandGuard = std::function<absl::Status(pqxx::work&)>;
// Runs at the end of the same transaction. It stores the answer for a retry of the command.
template <typename Answer>
using AnswerKeeper = std::function<absl::Status(pqxx::work&, const Answer&)>;

// Registers, finds and deletes datasets. Thread-safe.
class DatasetCatalog {
 public:
  // `database` and `files` must outlive this object. The schema must be migrated.
  DatasetCatalog(db::Database& database, UnpackedCache& files, CatalogOptions options);

  struct Registration {
    DatasetId id;
    bool created = false;
    std::string earlier_version = {};  // The name of the version before it, if that stays.
  };
  // See CheckDataFolder().
  absl::Status CheckFolder(const DatasetEntry& dataset) const {
    return CheckDataFolder(files_.source(), dataset.spec.path);
  }

  // Registers a dataset. Idempotent by (namespace, name, spec). `spec_text` is a DatasetSpec as
  // YAML. INVALID_ARGUMENT when base/names.h does not allow the name, when the spec does not
  // decode, or when its path is relative, is not a folder, or is outside the allowed roots.
  // FAILED_PRECONDITION when the name has another spec and that is refused, or when samples were
  // deleted on request that could not be recognised under the new spec: its format or its series is
  // another. A refusal of a store has the code of FileSystem::Probe. Waits for a running ingest of
  // the version before, which ends early.
  absl::StatusOr<Registration> Register(const std::string& name_space, const std::string& name,
                                        const std::string& spec_text, const CommandGuard& guard,
                                        const AnswerKeeper<Registration>& keep = {},
                                        OnOtherSpec on_other_spec = OnOtherSpec::kRefuse);
  // Makes the samples of a version visible after its first sync, and deletes the version that it
  // replaces.
  absl::Status FinishTakeOver(DatasetId id);

  // NOT_FOUND when the dataset is unknown. INVALID_ARGUMENT when the name is not allowed. An empty
  // namespace means "default". An earlier version is found under NAME@NUMBER.
  absl::StatusOr<DatasetEntry> Find(const std::string& name_space, const std::string& name);
  absl::StatusOr<DatasetEntry> Find(DatasetId id);
  // Returns std::nullopt when the dataset is unknown. Its spec need not parse.
  absl::StatusOr<std::optional<DatasetId>> FindId(const std::string& name_space,
                                                  const std::string& name);
  // Returns the datasets of a namespace, or of all namespaces for std::nullopt, ordered by name. A
  // dataset whose spec does not parse is left out with a warning.
  absl::StatusOr<std::vector<DatasetEntry>> List(const std::optional<std::string>& name_space);
  absl::StatusOr<DatasetCounts> Count(DatasetId id);
  absl::StatusOr<DatasetSnapshot> Snapshot(DatasetId id);

  // Deletes a dataset, its rows and its column files, but never the user's files. Its spec need not
  // parse. Returns whether there was one. Waits for a running ingest of the dataset.
  // FAILED_PRECONDITION while a new version takes over its keys.
  absl::StatusOr<bool> Delete(const std::string& name_space, const std::string& name,
                              const CommandGuard& guard, const AnswerKeeper<bool>& keep = {});

  // Marks samples as deleted. Returns how many of the keys existed and were not deleted before.
  // Later ingests leave out the records that equal theirs. NOT_FOUND when the dataset is unknown.
  absl::StatusOr<int64_t> DeleteSamples(DatasetId id, const std::vector<SampleToDelete>& samples,
                                        const CommandGuard& guard,
                                        const AnswerKeeper<int64_t>& keep = {});

  // The place of a record.
  struct Place {
    std::string path;  // Absolute.
    int64_t position = 0;
  };
  // Returns the key of the sample at each place, deleted or not; std::nullopt when none is.
  absl::StatusOr<std::vector<std::optional<int64_t>>> KeysAt(DatasetId id,
                                                             const std::vector<Place>& places);
  // Returns the position in its file of each sample; 0 when it is not known. `keys` ascend.
  absl::StatusOr<std::vector<int64_t>> PositionsOf(DatasetId id, const std::vector<int64_t>& keys);

  // Records samples that could not be used, each with its reason. Returns how many were new.
  absl::StatusOr<int64_t> QuarantineSamples(DatasetId id, const std::vector<int64_t>& keys,
                                            const std::vector<std::string>& reasons,
                                            const CommandGuard& guard);

  // The files and records that could not be ingested or used, the newest last. Returns the entries
  // with greater numbers than `after`: at most kQuarantinePage of them, and at most `limit` unless
  // that is 0.
  static constexpr int64_t kQuarantinePage = 200;
  struct Quarantined {
    int64_t number = 0;  // Ascends.
    std::string path;
    std::optional<int64_t> position;
    std::string reason;
    Timestamp at;
    std::optional<int64_t> sample_key;
    bool is_remark =
        false;  // Whether this is only a remark about the file, and nothing is quarantined.
  };
  absl::StatusOr<std::vector<Quarantined>> ListQuarantine(DatasetId id, int64_t limit,
                                                          int64_t after = 0);

  struct FileSizes {
    int64_t all_files = 0;                              // The bytes of all files of the dataset.
    std::map<FileId, files_table::FileExtent> by_file;  // The extents of the requested files.
  };
  absl::StatusOr<FileSizes> SizesOf(DatasetId id, const std::vector<FileId>& files);

  // Reads the beginning of the data that a dataset would ingest. The dataset need not be
  // registered. Returns the errors of FileSystem::ResolveFolder, List and Open. INVALID_ARGUMENT
  // when the spec does not decode.
  absl::StatusOr<DatasetHead> Peek(const std::string& spec_text) const;

  // The lock of a dataset. It is held while the dataset is ingested or deleted.
  std::shared_ptr<Mutex> LockOf(DatasetId id) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether a caller waits for that lock to delete or replace the dataset. An ingest then ends
  // after its current batch.
  bool IsLeaving(DatasetId id) const ABSL_LOCKS_EXCLUDED(mutex_);

  const CatalogOptions& options() const { return options_; }

 private:
  absl::StatusOr<DatasetSpec> DecodeAndCheck(const std::string& name,
                                             const std::string& spec_text) const;
  // Returns the folder at a path. INVALID_ARGUMENT when it may not be read, or is not a folder.
  absl::StatusOr<std::string> AdmitFolder(const std::string& path) const;
  // Warns once per dataset, because datasets are listed again and again.
  void WarnOnce(DatasetId id, const std::string& name, const absl::Status& status)
      ABSL_LOCKS_EXCLUDED(mutex_);

  db::Database& database_;
  UnpackedCache& files_;
  const CatalogOptions options_;
  struct CheckedSpec {
    std::string registered;
    std::string completed;
  };
  // One transaction of Register().
  absl::StatusOr<Registration> RegisterChecked(const std::string& name_space,
                                               const std::string& name, const CheckedSpec& spec,
                                               const CommandGuard& guard,
                                               const AnswerKeeper<Registration>& keep,
                                               OnOtherSpec on_other_spec);
  // Keeps ingests of a dataset from starting, and ends a running one after its current batch.
  class Pause;
  // Deletes the dataset, whose lock the caller holds.
  absl::StatusOr<bool> DeleteLocked(std::optional<DatasetId> found, const std::string& name,
                                    const CommandGuard& guard, const AnswerKeeper<bool>& keep);

  mutable Mutex mutex_;
  std::multiset<DatasetId> leaving_
      ABSL_GUARDED_BY(mutex_);  // One entry for each caller that deletes it.
  std::map<DatasetId, std::shared_ptr<Mutex>> locks_ ABSL_GUARDED_BY(mutex_);
  std::set<DatasetId> unreadable_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::storage
