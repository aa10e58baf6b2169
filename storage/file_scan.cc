#include "storage/file_scan.h"

#include <algorithm>

#include "base/files.h"
#include "base/log.h"
#include "storage/text.h"
#include "xxhash.h"

namespace tidemill::storage {

namespace {

bool IsCompanion(const DatasetSpec& spec, const std::string& path) {
  if (spec.label.file && !spec.label.file->replacement.empty()) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.find(spec.label.file->pattern) == std::string::npos &&
        name.find(spec.label.file->replacement) != std::string::npos) {
      return true;
    }
  }
  for (const auto& extension : {spec.label.sidecar, spec.event_time.sidecar}) {
    if (extension && path.ends_with(*extension)) return true;
  }
  return false;
}

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

FileChange ChangeOf(const DatasetSpec& spec, const FileInput& input,
                    const files_table::KnownFile& known) {
  if (known.state != "ingested") return FileChange::kNew;
  const bool grown = spec.append && input.identity.size_bytes >= known.size_bytes;
  return grown ? FileChange::kGrown : FileChange::kReplaced;
}

}  // namespace

int64_t FingerprintOf(const DatasetSpec& spec, const FileInput& input,
                      const IdentityLookup& identity_of) {
  std::vector<int64_t> facts = {input.identity.inode, input.identity.size_bytes,
                                input.identity.state_nanos()};
  for (const std::string& companion : CompanionsOf(spec, input)) {
    const FileIdentity identity = identity_of(companion).value_or(FileIdentity{});
    facts.insert(facts.end(), {identity.inode, identity.size_bytes, identity.state_nanos()});
  }
  const auto hash = static_cast<int64_t>(XXH3_64bits(facts.data(), facts.size() * sizeof(int64_t)));
  return hash == 0 ? 1 : hash;
}

absl::StatusOr<FileScan> CompareFiles(const DatasetSpec& spec, const FileListing& listing,
                                      const std::map<std::string, files_table::KnownFile>& known,
                                      Duration settle, Timestamp now) {
  FileScan scan;
  std::map<std::string, ChangedFile> changed;
  for (const auto& [path, file] : known) {
    if (file.state == "vanished") continue;
    changed[path] = {.change = FileChange::kVanished, .path = path, .known = file};
  }
  const bool had_files = !changed.empty();
  for (const ListedFile& file : listing.files) {
    if (IsCompanion(spec, file.path)) continue;
    ChangedFile found{.input = {.root = spec.path, .path = file.path, .identity = file.identity}};
    found.path = files::Join(spec.path, file.path);
    if (!IsText(found.path)) {
      log::Warn("file name is not UTF-8", {{"path", AsText(found.path)}});
      continue;
    }
    ++scan.num_found;
    changed.erase(found.path);
    found.fingerprint = FingerprintOf(spec, found.input, listing.identity_of);
    const auto before = known.find(found.path);
    if (before != known.end() && before->second.state != "vanished" &&
        before->second.fingerprint == found.fingerprint) {
      continue;
    }
    // A time ahead of the clock says nothing about how long the file has been as it is.
    const Timestamp settled_at = ChangedAt(spec, found.input, listing.identity_of) + settle;
    if (!spec.append && settled_at > now && settled_at <= now + settle) {
      if (scan.num_unsettled++ == 0) scan.settled_at = settled_at;
      scan.settled_at = std::min(scan.settled_at, settled_at);
      continue;
    }
    if (before != known.end()) {
      found.known = before->second;
      found.change = ChangeOf(spec, found.input, before->second);
    }
    changed[found.path] = std::move(found);
  }
  if (had_files && scan.num_found == 0) {
    return Unavailable("{} holds none of the files it had; is it mounted?", spec.path);
  }
  for (auto& [path, file] : changed) scan.changed.push_back(std::move(file));
  return scan;
}

}  // namespace tidemill::storage
