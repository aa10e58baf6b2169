// The requests of storage to an object store. They are retried while the failure may be temporary.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/filesystems/object_path.h"
#include "storage/filesystems/object_store_config.h"
#include "storage/filesystems/s3_http.h"
#include "storage/filesystems/s3_xml.h"

namespace tidemill::storage {

// One state of an object.
struct ObjectState {
  ObjectPath path;
  std::string etag;
  int64_t size_bytes = 0;
  int64_t modified_nanos = 0;
};

// Thread-safe. A failure names the object, the endpoint and what to do. NOT_FOUND when the object
// does not exist. PERMISSION_DENIED when the store refuses the object or the bucket.
// FAILED_PRECONDITION when the bucket does not exist or belongs to another region, or when the
// object was replaced. UNAVAILABLE for a temporary failure, after `retry_for`. CANCELLED after
// Stop().
class S3Client {
 public:
  // `config` must come from CompletedByEnvironment(). An attempt takes no longer than `longest`,
  // unless that is 0.
  explicit S3Client(const ObjectStoreConfig& config, std::chrono::milliseconds longest = {})
      : config_(config), http_(config, longest) {}

  absl::StatusOr<ObjectState> Head(const ObjectPath& path);

  // Reads the bytes [from, to) of that state of the object, in order, each once, however often the
  // connection breaks. A status of `take` other than OK ends it.
  absl::Status Get(const ObjectState& object, int64_t from, int64_t to,
                   const std::function<absl::Status(std::string_view)>& take);

  // Reads the bytes [from, to) of an object, in whatever state it is. DATA_LOSS when it ends
  // before.
  absl::StatusOr<std::string> Read(const ObjectPath& path, int64_t from, int64_t to);

  // Writes a whole object, in the place of one with that name.
  absl::Status Put(const ObjectPath& path, std::string_view bytes);
  // OK also when there is no such object.
  absl::Status Delete(const ObjectPath& path);

  // Visits all objects whose keys begin with `prefix`, page by page.
  absl::Status List(const std::string& bucket, const std::string& prefix,
                    const std::function<void(const ListedObject&)>& visit);
  // Whether there are such objects.
  absl::StatusOr<bool> HasObjects(const std::string& bucket, const std::string& prefix);

  void Stop() { http_.Stop(); }
  const std::string& endpoint() const { return http_.endpoint(); }

 private:
  absl::StatusOr<HttpResponse> AskOnce(const ObjectPath& path, const HttpRequest& request,
                                       const BodySink& sink);
  absl::StatusOr<HttpResponse> Ask(const ObjectPath& path, const HttpRequest& request);
  absl::StatusOr<ListPage> Page(const std::string& bucket, const std::string& query);
  // Repeats `attempt` while it returns UNAVAILABLE. `attempt` sets its argument when it made
  // progress.
  absl::Status Persist(const std::function<absl::Status(bool& got_further)>& attempt);

  const ObjectStoreConfig config_;
  S3Http http_;
};

}  // namespace tidemill::storage
