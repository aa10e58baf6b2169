// What storage asks of an object store, repeated while the reason of a failure may pass.
#pragma once

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

// Thread-safe. Failures name the object, the endpoint and what to do: NOT_FOUND for an object that
// is not there; PERMISSION_DENIED for one, or a bucket, that is refused; FAILED_PRECONDITION for a
// bucket that is not there or belongs to another region, or an object that was replaced;
// UNAVAILABLE for a passing reason, once `retry_for` is over; CANCELLED once stopped.
class S3Client {
 public:
  // `config` as CompletedByEnvironment() returns it.
  explicit S3Client(const ObjectStoreConfig& config) : config_(config), http_(config) {}

  absl::StatusOr<ObjectState> Head(const ObjectPath& path);

  // The bytes [from, to) of that state of the object, in order, each once, however often the
  // connection breaks. A status of `take` ends it.
  absl::Status Get(const ObjectState& object, int64_t from, int64_t to,
                   const std::function<absl::Status(std::string_view)>& take);

  // Visits all objects whose keys begin with `prefix`, a page after another.
  absl::Status List(const std::string& bucket, const std::string& prefix,
                    const std::function<void(const ListedObject&)>& visit);
  // Whether there are any.
  absl::StatusOr<bool> HasObjects(const std::string& bucket, const std::string& prefix);

  void Stop() { http_.Stop(); }
  const std::string& endpoint() const { return http_.endpoint(); }

 private:
  absl::StatusOr<HttpResponse> AskOnce(const ObjectPath& path, const HttpRequest& request,
                                       const BodySink& sink);
  absl::StatusOr<HttpResponse> Ask(const ObjectPath& path, const HttpRequest& request);
  absl::StatusOr<ListPage> Page(const std::string& bucket, const std::string& query);
  // Repeats `attempt` while it is UNAVAILABLE. It sets its argument when it got any further.
  absl::Status Persist(const std::function<absl::Status(bool& got_further)>& attempt);

  const ObjectStoreConfig config_;
  S3Http http_;
};

}  // namespace tidemill::storage
