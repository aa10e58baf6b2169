// The objects of prepared rows below a prefix of an object store, and whether it can be reached.
//
//   <prefix>/<digest of a point>/about-<worth>
//                                <16 hex digits>-<number of rows>.rows
//            forgotten/<16 hex digits>        (forgotten_keys.h)
//            probe/<16 hex digits>            while the speed is measured
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/filesystems/s3_client.h"

namespace tidemill::storage {

inline constexpr std::string_view kProbeFolder = "probe/";

struct StoredObject {
  std::string name;  // Below the prefix.
  std::string etag = {};
  int64_t bytes = 0;
  int64_t modified_seconds = 0;  // Since 1970, by the store's clock.
};

// The name of a block of rows.
std::string NewBlockName(std::string_view digest, size_t num_rows);
// Returns the number of its rows; std::nullopt for an object that is not a block.
std::optional<int64_t> RowsOfBlock(std::string_view name);

// A request that fails makes the store away for some seconds, and longer when that happens again.
// Meanwhile requests fail at once, so that nothing waits for a store that does not answer. The log
// says when it begins and when it ends. Thread-safe.
class RowObjects {
 public:
  // How long a reader of rows waits for all that it asks for at once.
  static constexpr std::chrono::milliseconds kPatience{2'000};

  // `url` is s3://bucket/prefix. INVALID_ARGUMENT when it is not, or when the connection's settings
  // or the environment are wrong.
  static absl::StatusOr<std::unique_ptr<RowObjects>> Open(const std::string& url,
                                                          const ObjectStoreConfig& connection);

  bool is_away() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes the store away, because of what a caller has seen.
  void NoteSlow() ABSL_LOCKS_EXCLUDED(mutex_);

  // Reads the bytes [from, to) of an object. UNAVAILABLE also when that takes longer than
  // kPatience. NOT_FOUND and DATA_LOSS say that the object is not, or no longer, what was expected.
  absl::StatusOr<std::string> ReadSoon(const std::string& name, int64_t from, int64_t to);
  // The same for a listing, kPatience for each thousand objects.
  absl::StatusOr<std::vector<StoredObject>> ListSoon(const std::string& begin);

  // The following may take a minute. They are for threads on which no batch waits.
  absl::StatusOr<std::string> Read(const std::string& name, int64_t from, int64_t to);
  absl::Status Put(const std::string& name, std::string_view bytes);
  absl::Status Delete(const std::string& name);
  // Lists the objects whose names begin with `begin`.
  absl::StatusOr<std::vector<StoredObject>> List(const std::string& begin);

  // The same requests, also while the store is away: for what must be done or be refused.
  void Insist() ABSL_LOCKS_EXCLUDED(mutex_);

  int connections() const { return connections_; }
  const std::string& url() const { return url_; }

 private:
  RowObjects(ObjectPath root, const ObjectStoreConfig& connection);

  ObjectPath PathOf(const std::string& name) const;
  absl::Status Ready() const ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Noted(absl::Status status) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::vector<StoredObject>> ListBy(S3Client& client, const std::string& begin);

  const ObjectPath root_;
  const std::string url_;
  const int connections_;
  S3Client soon_;
  S3Client patient_;
  mutable Mutex mutex_;
  std::chrono::steady_clock::time_point away_until_ ABSL_GUARDED_BY(mutex_) = {};
  std::chrono::milliseconds next_pause_ ABSL_GUARDED_BY(mutex_);
  bool has_said_away_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tidemill::storage
