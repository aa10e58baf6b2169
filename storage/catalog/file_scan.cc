#include "storage/catalog/file_scan.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

#include "base/files.h"
#include "base/printable.h"
#include "records/text.h"
#include "xxhash.h"

namespace tidemill::storage {

namespace {

// An index takes no longer ones.
constexpr size_t kMaxPathBytes = 2'000;
constexpr size_t kShownPathBytes = 500;

// Newest of the file and those that belong to it.
Timestamp ChangedAt(const DatasetSpec& spec, const FileInput& input,
                    const IdentityLookup& identity_of) {
  Timestamp at = input.identity.modified_at();
  for (const std::string& companion : CompanionsOf(spec, input)) {
    if (const auto identity = identity_of(companion); identity.ok()) {
      at = std::max(at, identity->modified_at());
    }
  }
  return at;
}

FileChange ChangeOf(const DatasetSpec& spec, const FileInput& input, int64_t fingerprint,
                    const files_table::KnownFile& known) {
  if (known.state == "partial" && known.fingerprint == fingerprint) return FileChange::kResumed;
  if (known.state != "ingested" && known.state != "partial") return FileChange::kNew;
  if (!spec.append || input.identity.size_bytes < known.size_bytes) return FileChange::kReplaced;
  // Something was written, but not at the end.
  if (input.identity.size_bytes == known.size_bytes) return FileChange::kReplaced;
  // An object in a store that grows is another object.
  const bool is_other =
      known.inode && !input.identity.is_versioned && *known.inode != input.identity.inode;
  return is_other ? FileChange::kReplaced : FileChange::kGrown;
}

// One comparison of two ordered lists.
class Comparison {
 public:
  Comparison(const DatasetSpec& spec, const IdentityLookup& identity_of,
             const std::vector<files_table::KnownFile>& known, Duration settle, Timestamp now)
      : spec_(spec), identity_of_(identity_of), known_(known), settle_(settle), now_(now) {
    input_.root = spec.path;
  }

  void Add(const ListedFile& file) {
    input_.path = file.path;
    input_.identity = file.identity;
    std::string path = files::Join(spec_.path, file.path);
    if (!IsText(path) || path.size() > kMaxPathBytes) {
      scan_.unnamed.push_back(Printable(path.substr(0, kShownPathBytes)));
      return;
    }
    ++scan_.num_found;
    VanishBefore(path);
    const bool is_known = next_ < known_.size() && known_[next_].path == path;
    const files_table::KnownFile* const before = is_known ? &known_[next_++] : nullptr;
    had_files_ = had_files_ || (before != nullptr && before->state != "vanished");
    const int64_t fingerprint = FingerprintOf(spec_, input_, identity_of_);
    const int64_t change_stamp = ChangeStampOf(spec_, input_, identity_of_);
    const bool unchanged = before != nullptr && before->fingerprint == fingerprint &&
                           IsKnownStamp(*before, change_stamp) && before->state != "vanished" &&
                           before->state != "partial";
    if (unchanged) return;
    if (const Timestamp settled_at = SettledAt(); settled_at > now_) {
      scan_.unsettled.push_back({.path = std::move(path), .settled_at = settled_at});
      return;
    }
    ChangedFile found{.input = input_,
                      .path = std::move(path),
                      .fingerprint = fingerprint,
                      .change_stamp = change_stamp};
    if (before != nullptr) {
      found.known = *before;
      found.change = ChangeOf(spec_, input_, fingerprint, *before);
    }
    scan_.changed.push_back(std::move(found));
  }

  absl::StatusOr<FileScan> Finish() {
    while (next_ < known_.size()) Vanish(known_[next_++]);
    if (had_files_ && scan_.num_found == 0) {
      return Unavailable(
          "{} holds none of the files it had; is it mounted? If the files are gone for good, "
          "delete the dataset: tidemill datasets delete NAME",
          spec_.path);
    }
    return std::move(scan_);
  }

 private:
  void VanishBefore(const std::string& path) {
    while (next_ < known_.size() && known_[next_].path < path) Vanish(known_[next_++]);
  }

  void Vanish(const files_table::KnownFile& known) {
    if (known.state == "vanished") return;
    had_files_ = true;
    scan_.changed.push_back({.change = FileChange::kVanished, .path = known.path, .known = known});
  }

  // Files of earlier versions of this program have no stamp.
  static bool IsKnownStamp(const files_table::KnownFile& known, int64_t stamp) {
    return stamp == 0 || !known.change_stamp || *known.change_stamp == stamp;
  }

  // Not later than now when the file has settled.
  Timestamp SettledAt() const {
    if (spec_.append) return now_;
    const Timestamp settled_at = ChangedAt(spec_, input_, identity_of_) + settle_;
    // A time ahead of the clock says nothing about how long the file has been unchanged.
    return settled_at > now_ + settle_ ? now_ : settled_at;
  }

  const DatasetSpec& spec_;
  const IdentityLookup& identity_of_;
  const std::vector<files_table::KnownFile>& known_;
  const Duration settle_;
  const Timestamp now_;
  size_t next_ = 0;  // The place among the known ones.
  bool had_files_ = false;
  FileInput input_;  // The current file: 10^5 unchanged ones must not cost an allocation each.
  FileScan scan_;
};

}  // namespace

int64_t ChangeStampOf(const DatasetSpec& spec, const FileInput& input,
                      const IdentityLookup& identity_of) {
  if (input.identity.changed_nanos == 0) return 0;
  absl::InlinedVector<int64_t, 2> times = {input.identity.changed_nanos};
  for (const std::string& companion : CompanionsOf(spec, input)) {
    times.push_back(identity_of(companion).value_or(FileIdentity{}).changed_nanos);
  }
  return static_cast<int64_t>(XXH3_64bits(times.data(), times.size() * sizeof(int64_t)));
}

int64_t FingerprintOf(const DatasetSpec& spec, const FileInput& input,
                      const IdentityLookup& identity_of) {
  absl::InlinedVector<int64_t, 6> facts = {input.identity.inode, input.identity.size_bytes,
                                           input.identity.state_nanos()};
  for (const std::string& companion : CompanionsOf(spec, input)) {
    const FileIdentity identity = identity_of(companion).value_or(FileIdentity{});
    for (const int64_t fact : {identity.inode, identity.size_bytes, identity.state_nanos()}) {
      facts.push_back(fact);
    }
  }
  const auto hash = static_cast<int64_t>(XXH3_64bits(facts.data(), facts.size() * sizeof(int64_t)));
  return hash == 0 ? 1 : hash;
}

absl::StatusOr<FileScan> CompareFiles(const DatasetSpec& spec, const FileListing& listing,
                                      const std::vector<files_table::KnownFile>& known,
                                      Duration settle, Timestamp now) {
  Comparison comparison(spec, listing.identity_of, known, settle, now);
  for (const ListedFile& file : listing.files) {
    if (!IsCompanion(spec, file.path)) comparison.Add(file);
  }
  ASSIGN_OR_RETURN(FileScan scan, comparison.Finish());
  scan.passed_over = listing.passed_over;
  return scan;
}

}  // namespace tidemill::storage
