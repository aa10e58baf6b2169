#include "storage/catalog/dataset_catalog.h"

#include <algorithm>
#include <typeinfo>
#include <utility>

#include "base/files.h"
#include "base/logs/log.h"
#include "base/names.h"
#include "config/printed/difference.h"
#include "records/text.h"
#include "storage/catalog/datasets_table.h"
#include "storage/catalog/files_table.h"
#include "storage/catalog/samples_table.h"
#include "storage/formats/format.h"
#include "storage/segments/segment_columns.h"
#include "storage/spec/dataset_path.h"
#include "storage/spec/dataset_peek.h"

// What Register(name, spec) does:
//
//   the name is    and the spec        kRefuse               kNewVersion          kReplace
//   unknown                            a new dataset         a new dataset        a new dataset
//   known          is the same         that dataset          that dataset         that dataset
//   known          differs             FAILED_PRECONDITION   a successor          a successor
//
// A successor takes the name at once, and its predecessor becomes NAME@NUMBER. Equal records get
// the predecessor's keys in the first sync. FinishTakeOver() then makes the successor's samples
// visible and, with kReplace, deletes the predecessor. A predecessor that was still taking over is
// deleted at once, and the successor takes over from the version before it.

namespace tidemill::storage {

namespace {

constexpr size_t kLongestDifference = 1'000;

struct FullName {
  std::string name_space;
  std::string name;
};

absl::StatusOr<FullName> Checked(const std::string& name_space, const std::string& name) {
  ASSIGN_OR_RETURN(std::string space, CheckedNamespace(name_space));
  RETURN_IF_ERROR(CheckName("dataset", name));
  return FullName{.name_space = std::move(space), .name = name};
}

// The part of "elec2@1" that a user chose.
std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.rfind('@');
  const bool is_version =
      at != std::string_view::npos && at + 1 < name.size() &&
      std::ranges::all_of(name.substr(at + 1), [](char c) { return c >= '0' && c <= '9'; });
  return is_version ? name.substr(0, at) : name;
}

// Whether records of the one spec can be recognised as records of the other. The format's
// definition of a record decides this, and so does `series`, whose samples are windows.
bool HaveSameRecords(const DatasetSpec& before, const DatasetSpec& now) {
  const auto series = [](const DatasetSpec& spec) {
    return spec.series ? config::Print(*spec.series) : "";
  };
  const FileFormat& old_format = *before.format;
  const FileFormat& new_format = *now.format;
  return typeid(old_format) == typeid(new_format) && series(before) == series(now);
}

absl::Status CheckDeletionsHold(pqxx::work& work, const datasets_table::Row& old,
                                const DatasetSpec& now) {
  const auto before = config::ReadKept<DatasetSpec>(old.registered_spec, old.name);
  if (before.ok() && HaveSameRecords(*before, now)) return absl::OkStatus();
  const auto num_deleted =
      static_cast<int64_t>(datasets_table::DeletedOnRequest(work, old.id, 0).size() +
                           datasets_table::DeletedRecordHashes(work, old.id).size());
  if (num_deleted == 0) return absl::OkStatus();
  return FailedPrecondition(
      "{} samples of dataset {} were deleted on request, and their records cannot be recognised "
      "when `format` or `series` is another; choose another name, and delete them there",
      num_deleted, old.name);
}

absl::StatusOr<DatasetEntry> ToEntry(datasets_table::Row row) {
  ASSIGN_OR_RETURN(DatasetSpec spec, config::ReadKept<DatasetSpec>(row.spec, row.name));
  return DatasetEntry{.id = row.id,
                      .name_space = std::move(row.name_space),
                      .name = std::move(row.name),
                      .slot = row.slot,
                      .spec_text = std::move(row.spec),
                      .spec = std::move(spec),
                      .created_at = row.created_at,
                      .superseded = row.superseded,
                      .predecessor = row.predecessor};
}

// The first file with samples, or nullptr.
const ListedFile* FirstOf(const DatasetSpec& spec, const FileListing& listing) {
  const auto first = std::ranges::find_if(
      listing.files, [&](const ListedFile& file) { return !IsCompanion(spec, file.path); });
  return first == listing.files.end() ? nullptr : &*first;
}

// Fills in what the first file there is can tell. A dataset may be empty, and its first file
// broken: both are for the ingest to find.
DatasetSpec CompletedByFirstFile(DatasetSpec spec, UnpackedCache& files) {
  const absl::StatusOr<FileListing> listed = files.source().List(spec.path, spec.files);
  if (!listed.ok()) return spec;
  const ListedFile* const first = FirstOf(spec, *listed);
  if (first == nullptr) return spec;
  DatasetSpec completed = spec;
  return CompleteSpec(files::Join(spec.path, first->path), files, completed).ok() ? completed
                                                                                  : spec;
}

absl::StatusOr<std::string> StartOf(const OpenFile& file) {
  std::string bytes(kHeadBytes, '\0');
  ASSIGN_OR_RETURN(const size_t size, file.ReadAt(0, bytes.data(), bytes.size()));
  bytes.resize(size);
  return bytes;
}

template <typename Answer>
absl::Status Keep(const AnswerKeeper<Answer>& keep, pqxx::work& work, const Answer& answer) {
  return keep ? keep(work, answer) : absl::OkStatus();
}

}  // namespace

DatasetCatalog::DatasetCatalog(db::Database& database, UnpackedCache& files, CatalogOptions options)
    : database_(database), files_(files), options_(std::move(options)) {}

absl::StatusOr<DatasetSpec> DatasetCatalog::DecodeAndCheck(const std::string& name,
                                                           const std::string& spec_text) const {
  ASSIGN_OR_RETURN(DatasetSpec spec, config::ReadKept<DatasetSpec>(spec_text, name));
  const std::string what = "dataset " + name;
  if (spec.label.classes_file) {
    return InvalidArgument("{}: the file of its classes, {}, was not read; send their names", what,
                           *spec.label.classes_file);
  }
  absl::StatusOr<std::string> folder = AdmitFolder(spec.path);
  RETURN_IF_ERROR(Annotate(folder.status(), what));
  RETURN_IF_ERROR(Annotate(files_.source().Probe(*folder), what));
  spec.path = *std::move(folder);
  RETURN_IF_ERROR(MakeFormat(spec, files_).status());
  // The printed form of the spec is kept. It is longer than most specs that users write.
  RETURN_IF_ERROR(config::ReadKept<DatasetSpec>(config::Print(spec), name).status());
  return spec;
}

absl::StatusOr<std::string> DatasetCatalog::AdmitFolder(const std::string& path) const {
  absl::StatusOr<std::string> folder = files_.source().ResolveFolder(path);
  if (absl::IsNotFound(folder.status())) {
    return InvalidArgument("path '{}' is not a folder", path);
  }
  return folder;
}

absl::StatusOr<DatasetHead> DatasetCatalog::Peek(const std::string& spec_text) const {
  ASSIGN_OR_RETURN(const DatasetSpec spec, config::ReadKept<DatasetSpec>(spec_text, "dataset"));
  FileSystem& source = files_.source();
  ASSIGN_OR_RETURN(const std::string folder, source.ResolveFolder(spec.path));
  const absl::StatusOr<FileListing> listed = source.List(folder, spec.files);
  // A user waits for the answer, and a folder that cannot be read stays so.
  if (absl::IsUnavailable(listed.status()) && !IsObjectPath(folder)) {
    return FailedPrecondition("{}", std::string(listed.status().message()));
  }
  RETURN_IF_ERROR(listed.status());
  DatasetHead head;
  const ListedFile* const first = FirstOf(spec, *listed);
  if (first == nullptr) return head;
  head.first_file = first->path;
  const std::string path = files::Join(folder, *head.first_file);
  ASSIGN_OR_RETURN(const OpenFile file, files_.OpenStart(path));
  auto bytes = StartOf(file);
  if (absl::IsDataLoss(bytes.status())) {
    // Packed and damaged: for the ingest to find. Shown as raw bytes.
    ASSIGN_OR_RETURN(const OpenFile packed, source.Open(path));
    bytes = StartOf(packed);
  }
  ASSIGN_OR_RETURN(head.bytes, std::move(bytes));
  return head;
}

// See the header. Counts as a deletion for the ingest.
class DatasetCatalog::Pause {
 public:
  // Which mutex it is, is known only here.
  Pause(DatasetCatalog& catalog, DatasetId id) ABSL_NO_THREAD_SAFETY_ANALYSIS : catalog_(catalog),
                                                                                id_(id) {
    {
      MutexLock lock(catalog_.mutex_);
      catalog_.leaving_.insert(id_);
    }
    lock_ = catalog_.LockOf(id_);
    lock_->lock();
  }
  ~Pause() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    lock_->unlock();
    MutexLock lock(catalog_.mutex_);
    catalog_.leaving_.erase(catalog_.leaving_.find(id_));
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  DatasetCatalog& catalog_;
  const DatasetId id_;
  std::shared_ptr<Mutex> lock_;
};

absl::StatusOr<DatasetCatalog::Registration> DatasetCatalog::Register(
    const std::string& name_space, const std::string& name, const std::string& spec_text,
    const CommandGuard& guard, const AnswerKeeper<Registration>& keep, OnOtherSpec on_other_spec) {
  ASSIGN_OR_RETURN(const FullName full, Checked(name_space, name));
  ASSIGN_OR_RETURN(const DatasetSpec spec, DecodeAndCheck(name, spec_text));
  const CheckedSpec checked{.registered = config::Print(spec),
                            .completed = config::Print(CompletedByFirstFile(spec, files_))};
  std::optional<Pause> pause;
  if (on_other_spec != OnOtherSpec::kRefuse) {
    ASSIGN_OR_RETURN(const std::optional<DatasetId> old, FindId(full.name_space, name));
    if (old) pause.emplace(*this, *old);
  }
  absl::StatusOr<Registration> registration =
      RegisterChecked(full.name_space, name, checked, guard, keep, on_other_spec);
  // Two callers registered it at once. An equal spec of the other caller is accepted.
  if (absl::IsAlreadyExists(registration.status())) {
    pause.reset();
    return Register(name_space, name, spec_text, guard, keep, on_other_spec);
  }
  RETURN_IF_ERROR(registration.status());
  if (registration->created) {
    log::Info("dataset registered",
              {{"dataset", name}, {"id", std::to_string(registration->id.value)}});
  }
  return registration;
}

absl::StatusOr<DatasetCatalog::Registration> DatasetCatalog::RegisterChecked(
    const std::string& name_space, const std::string& name, const CheckedSpec& spec,
    const CommandGuard& guard, const AnswerKeeper<Registration>& keep, OnOtherSpec on_other_spec) {
  Registration registration;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    if (guard) RETURN_IF_ERROR(guard(work));
    const auto row = datasets_table::Find(work, name_space, name);
    if (!row) {
      const DatasetId id =
          datasets_table::Insert(work, name_space, name, spec.registered, spec.completed);
      registration = {.id = id, .created = true};
      return Keep(keep, work, registration);
    }
    registration = {.id = row->id, .created = false};
    // Compared as this version writes it: an older one knew fewer fields.
    const auto before = config::ReadKept<DatasetSpec>(row->registered_spec, name);
    const std::string known = before.ok() ? config::Print(*before) : row->registered_spec;
    if (known == spec.registered) return Keep(keep, work, registration);
    if (on_other_spec == OnOtherSpec::kRefuse) {
      return FailedPrecondition(
          "dataset {} is registered with another spec: {}; run the pipeline with "
          "--new-dataset-version, which keeps it beside the new one, or with --replace-dataset, or "
          "choose another name",
          name, AsText(config::DescribeDifference(known, spec.registered), kLongestDifference));
    }
    ASSIGN_OR_RETURN(const DatasetSpec now, config::ReadKept<DatasetSpec>(spec.registered, name));
    RETURN_IF_ERROR(CheckDeletionsHold(work, *row, now));
    const datasets_table::Succession succession = datasets_table::Succeed(
        work, *row, spec.registered, spec.completed, on_other_spec == OnOtherSpec::kReplace);
    registration = {
        .id = succession.fresh,
        .created = true,
        .earlier_version = on_other_spec == OnOtherSpec::kReplace ? "" : succession.old_name};
    return Keep(keep, work, registration);
  }));
  return registration;
}

absl::Status DatasetCatalog::FinishTakeOver(DatasetId id) {
  std::optional<datasets_table::Row> row;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    row = datasets_table::Find(work, id);
    if (row) datasets_table::FinishTakeOver(work, *row);
    return absl::OkStatus();
  }));
  if (!row || !row->predecessor || !row->replaces_predecessor) return absl::OkStatus();
  log::Info("dataset replaced", {{"dataset", row->name}, {"id", std::to_string(id.value)}});
  return files::Remove(SegmentFolder(options_.folder, *row->predecessor));
}

absl::StatusOr<DatasetEntry> DatasetCatalog::Find(const std::string& name_space,
                                                  const std::string& name) {
  ASSIGN_OR_RETURN(const FullName full, Checked(name_space, std::string(WithoutVersion(name))));
  std::optional<datasets_table::Row> row;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    row = datasets_table::Find(work, full.name_space, name);
    return absl::OkStatus();
  }));
  if (!row) return NotFound("dataset {} is not registered", name);
  return ToEntry(*std::move(row));
}

absl::StatusOr<std::optional<DatasetId>> DatasetCatalog::FindId(const std::string& name_space,
                                                                const std::string& name) {
  ASSIGN_OR_RETURN(const std::string space, CheckedNamespace(name_space));
  // No name's grammar: what an older version has let in can still be deleted.
  RETURN_IF_ERROR(CheckLabel("dataset's name", name));
  std::optional<DatasetId> id;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    const auto row = datasets_table::Find(work, space, name);
    id = row ? std::optional(row->id) : std::nullopt;
    return absl::OkStatus();
  }));
  return id;
}

absl::StatusOr<DatasetEntry> DatasetCatalog::Find(DatasetId id) {
  std::optional<datasets_table::Row> row;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    row = datasets_table::Find(work, id);
    return absl::OkStatus();
  }));
  if (!row) return NotFound("dataset {} is unknown", id.value);
  return ToEntry(*std::move(row));
}

absl::StatusOr<std::vector<DatasetEntry>> DatasetCatalog::List(
    const std::optional<std::string>& name_space) {
  std::vector<datasets_table::Row> rows;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    rows = datasets_table::List(work, name_space);
    return absl::OkStatus();
  }));
  std::vector<DatasetEntry> entries;
  for (const datasets_table::Row& row : rows) {
    absl::StatusOr<DatasetEntry> entry = ToEntry(row);
    if (entry.ok()) {
      entries.push_back(*std::move(entry));
    } else {
      WarnOnce(row.id, row.name, entry.status());
    }
  }
  return entries;
}

void DatasetCatalog::WarnOnce(DatasetId id, const std::string& name, const absl::Status& status) {
  MutexLock lock(mutex_);
  if (!unreadable_.insert(id).second) return;
  log::Warn("the spec of a dataset does not parse",
            {{"dataset", name},
             {"id", std::to_string(id.value)},
             {"error", AsText(std::string(status.message()))}});
}

absl::StatusOr<DatasetCounts> DatasetCatalog::Count(DatasetId id) {
  DatasetCounts counts;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    ASSIGN_OR_RETURN(counts, datasets_table::Count(work, id));
    return absl::OkStatus();
  }));
  return counts;
}

absl::StatusOr<DatasetSnapshot> DatasetCatalog::Snapshot(DatasetId id) {
  DatasetSnapshot snapshot;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    ASSIGN_OR_RETURN(snapshot, datasets_table::Snapshot(work, id));
    return absl::OkStatus();
  }));
  return snapshot;
}

absl::StatusOr<bool> DatasetCatalog::Delete(const std::string& name_space, const std::string& name,
                                            const CommandGuard& guard,
                                            const AnswerKeeper<bool>& keep) {
  ASSIGN_OR_RETURN(const std::optional<DatasetId> found, FindId(name_space, name));
  const Pause pause(*this, found.value_or(DatasetId{}));
  return DeleteLocked(found, name, guard, keep);
}

bool DatasetCatalog::IsLeaving(DatasetId id) const {
  MutexLock lock(mutex_);
  return leaving_.contains(id);
}

absl::StatusOr<bool> DatasetCatalog::DeleteLocked(std::optional<DatasetId> found,
                                                  const std::string& name,
                                                  const CommandGuard& guard,
                                                  const AnswerKeeper<bool>& keep) {
  const DatasetId id = found.value_or(DatasetId{});
  bool existed = false;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    if (guard) RETURN_IF_ERROR(guard(work));
    existed = found && datasets_table::Find(work, id).has_value();
    if (const auto successor = datasets_table::FindSuccessor(work, id); existed && successor) {
      return FailedPrecondition(
          "dataset {0} takes over the keys of {1}; ingest it first: tidemill datasets sync {0}",
          successor->name, name);
    }
    if (existed) datasets_table::Delete(work, id);
    return Keep(keep, work, existed);
  }));
  if (!existed) return false;
  log::Info("dataset deleted", {{"dataset", name}, {"id", std::to_string(id.value)}});
  // Identifiers are never used again, so a folder left behind by a crash here does no harm.
  RETURN_IF_ERROR(files::Remove(SegmentFolder(options_.folder, id)));
  return true;
}

absl::StatusOr<int64_t> DatasetCatalog::DeleteSamples(DatasetId id,
                                                      const std::vector<SampleToDelete>& samples,
                                                      const CommandGuard& guard,
                                                      const AnswerKeeper<int64_t>& keep) {
  int64_t num_deleted = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    if (guard) RETURN_IF_ERROR(guard(work));
    ASSIGN_OR_RETURN(num_deleted, datasets_table::AddTombstones(work, id, samples));
    return Keep(keep, work, num_deleted);
  }));
  return num_deleted;
}

absl::StatusOr<std::vector<std::optional<int64_t>>> DatasetCatalog::KeysAt(
    DatasetId id, const std::vector<Place>& places) {
  // By file, each file once.
  std::map<std::string, std::vector<size_t>> by_path;
  for (size_t i = 0; i < places.size(); ++i) by_path[places[i].path].push_back(i);
  std::vector<std::optional<int64_t>> keys(places.size());
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    for (const auto& [path, wanted] : by_path) {
      std::vector<int64_t> positions;
      for (const size_t i : wanted) positions.push_back(places[i].position);
      const std::map<int64_t, int64_t> found = samples_table::KeysAt(work, id, path, positions);
      for (const size_t i : wanted) {
        const auto key = found.find(places[i].position);
        if (key != found.end()) keys[i] = key->second;
      }
    }
    return absl::OkStatus();
  }));
  return keys;
}

absl::StatusOr<std::vector<int64_t>> DatasetCatalog::PositionsOf(DatasetId id,
                                                                 const std::vector<int64_t>& keys) {
  std::map<int64_t, int64_t> found;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    found = samples_table::PositionsOf(work, id, keys);
    return absl::OkStatus();
  }));
  std::vector<int64_t> positions;
  for (const int64_t key : keys) {
    const auto position = found.find(key);
    positions.push_back(position == found.end() ? 0 : position->second);
  }
  return positions;
}

absl::StatusOr<int64_t> DatasetCatalog::QuarantineSamples(DatasetId id,
                                                          const std::vector<int64_t>& keys,
                                                          const std::vector<std::string>& reasons,
                                                          const CommandGuard& guard) {
  int64_t num_recorded = 0;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) -> absl::Status {
    if (guard) RETURN_IF_ERROR(guard(work));
    num_recorded = datasets_table::QuarantineSamples(work, id, keys, reasons);
    return absl::OkStatus();
  }));
  return num_recorded;
}

absl::StatusOr<std::vector<DatasetCatalog::Quarantined>> DatasetCatalog::ListQuarantine(
    DatasetId id, int64_t limit, int64_t after) {
  if (limit < 0) return InvalidArgument("{} is not a number of entries; 0 asks for all", limit);
  const int64_t most = limit == 0 ? kQuarantinePage : std::min(limit, kQuarantinePage);
  std::vector<Quarantined> entries;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    entries = datasets_table::ListQuarantine(work, id, most, after);
    return absl::OkStatus();
  }));
  return entries;
}

absl::StatusOr<DatasetCatalog::FileSizes> DatasetCatalog::SizesOf(
    DatasetId id, const std::vector<FileId>& files) {
  FileSizes sizes;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    sizes.all_files = files_table::TotalSize(work, id);
    sizes.by_file = files_table::SizesOf(work, files);
    return absl::OkStatus();
  }));
  return sizes;
}

std::shared_ptr<Mutex> DatasetCatalog::LockOf(DatasetId id) {
  MutexLock lock(mutex_);
  std::shared_ptr<Mutex>& found = locks_[id];
  if (!found) found = std::make_shared<Mutex>();
  return found;
}

}  // namespace tidemill::storage
