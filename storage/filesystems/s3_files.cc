#include "storage/filesystems/s3_files.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "storage/filesystems/s3_object.h"
#include "storage/spec/glob.h"

namespace tidemill::storage {

namespace {

// The common prefix of all keys below a folder.
std::string PrefixOf(const ObjectPath& folder) {
  return folder.key.empty() ? "" : folder.key + "/";
}

bool IsHidden(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

FileIdentity IdentityOfListed(const ListedObject& object) {
  return storage::IdentityOf(ObjectState{.path = {},
                                         .etag = object.etag,
                                         .size_bytes = object.size_bytes,
                                         .modified_nanos = object.modified_nanos});
}

// Finds files among those of one listing, in the order of their paths.
IdentityLookup LookupIn(std::string root, std::shared_ptr<const std::vector<ListedFile>> all) {
  return [root = std::move(root),
          all = std::move(all)](const std::string& path) -> absl::StatusOr<FileIdentity> {
    const std::string_view below =
        std::string_view(path).substr(std::min(root.size(), path.size()));
    const std::string_view name = below.substr(std::min<size_t>(1, below.size()));
    const auto at = std::lower_bound(
        all->begin(), all->end(), name,
        [](const ListedFile& file, std::string_view wanted) { return file.path < wanted; });
    if (at == all->end() || at->path != name) return NotFound("there is no object {}", path);
    return at->identity;
  };
}

}  // namespace

absl::StatusOr<std::unique_ptr<S3Files>> S3Files::Create(const ObjectStoreConfig& config,
                                                         const std::string& folder) {
  ASSIGN_OR_RETURN(const ObjectStoreConfig completed, CompletedByEnvironment(config));
  ASSIGN_OR_RETURN(std::unique_ptr<BlockCache> cache,
                   BlockCache::Create({.folder = folder,
                                       .max_disk_bytes = completed.cache.bytes,
                                       .max_memory_bytes = completed.memory.bytes}));
  return std::unique_ptr<S3Files>(new S3Files(completed, std::move(cache)));
}

S3Files::S3Files(const ObjectStoreConfig& config, std::unique_ptr<BlockCache> cache)
    : block_bytes_(config.block_bytes.bytes),
      cache_(std::move(cache)),
      client_(config),
      blocks_(client_, *cache_, config.connections) {}

absl::StatusOr<OpenFile> S3Files::Open(const std::string& path) {
  ASSIGN_OR_RETURN(const ObjectPath object, ParseObjectPath(path));
  ASSIGN_OR_RETURN(ObjectState state, client_.Head(object));
  const std::string identity =
      fmt::format("{}\n{}\n{}\n{}", client_.endpoint(), path, state.etag, block_bytes_);
  const XXH128_hash_t hash = XXH3_128bits(identity.data(), identity.size());
  const auto blocked = std::make_shared<const BlockedObject>(
      BlockedObject{.state = std::move(state),
                    .block_bytes = block_bytes_,
                    .key = {.file_high = hash.high64, .file_low = hash.low64, .number = 0}});
  return OpenFile(path, std::make_unique<S3Object>(blocks_, blocked));
}

absl::StatusOr<FileIdentity> S3Files::IdentityOf(const std::string& path) {
  ASSIGN_OR_RETURN(const ObjectPath object, ParseObjectPath(path));
  ASSIGN_OR_RETURN(const ObjectState state, client_.Head(object));
  return storage::IdentityOf(state);
}

absl::StatusOr<FileListing> S3Files::List(const std::string& root, std::string_view glob) {
  ASSIGN_OR_RETURN(const ObjectPath folder, ParseObjectPath(root));
  const std::string prefix = PrefixOf(folder);
  auto all = std::make_shared<std::vector<ListedFile>>();
  RETURN_IF_ERROR(client_.List(folder.bucket, prefix, [&](const ListedObject& object) {
    std::string path = object.key.substr(prefix.size());
    if (path.empty() || path.ends_with('/') || IsHidden(path)) return;
    all->push_back({.path = std::move(path), .identity = IdentityOfListed(object)});
  }));
  std::sort(all->begin(), all->end(),
            [](const ListedFile& a, const ListedFile& b) { return a.path < b.path; });
  FileListing listing;
  for (const ListedFile& file : *all) {
    if (GlobMatches(glob, file.path)) listing.files.push_back(file);
  }
  listing.identity_of = LookupIn(root, std::move(all));
  return listing;
}

absl::StatusOr<std::string> S3Files::ResolveFolder(const std::string& path) {
  return ObjectRoot(path);
}

absl::Status S3Files::Probe(const std::string& folder) {
  ASSIGN_OR_RETURN(const ObjectPath path, ParseObjectPath(folder));
  ASSIGN_OR_RETURN(const bool has_objects, client_.HasObjects(path.bucket, PrefixOf(path)));
  if (!has_objects) log::Warn("the folder in the store is empty", {{"path", folder}});
  return absl::OkStatus();
}

}  // namespace tidemill::storage
