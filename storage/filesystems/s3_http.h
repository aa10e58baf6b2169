// Signed HTTP requests to an object store.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/filesystems/object_store_config.h"

namespace tidemill::storage {

struct HttpRequest {
  bool head = false;  // HEAD; else GET.
  // Path and query behind the host, encoded; a query's parts in the order of their names. It is
  // signed as it stands.
  std::string target;
  std::vector<std::string> headers = {};  // "Range: bytes=0-9".
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers = {};  // By lower-case names.
  std::string body = {};                            // What no sink has taken.

  std::string Header(const std::string& name) const;
};

// Takes the next bytes of the body of an answer, whose headers are there. A status other than OK
// ends the request with it.
using BodySink = std::function<absl::Status(const HttpResponse&, std::string_view)>;

// Thread-safe. At most `connections` requests at a time, others wait; connections are kept.
class S3Http {
 public:
  // `config` as CompletedByEnvironment() returns it.
  explicit S3Http(const ObjectStoreConfig& config);
  ~S3Http();
  S3Http(const S3Http&) = delete;
  S3Http& operator=(const S3Http&) = delete;

  // Once. The body of a 2xx answer goes to `sink`, if there is one. UNAVAILABLE when no whole
  // answer came, with the reason; CANCELLED once stopped. Any answer of the server is a response.
  absl::StatusOr<HttpResponse> Perform(const HttpRequest& request, const BodySink& sink)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends what is going on and refuses what is to come.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits, less long once stopped. Returns whether it was not.
  bool Pause(std::chrono::milliseconds length) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string& endpoint() const { return config_.endpoint; }

 private:
  // libcurl's handle, which keeps its connection.
  struct CloseHandle {
    void operator()(void* handle) const;
  };
  using Handle = std::unique_ptr<void, CloseHandle>;
  class Exchange;

  absl::StatusOr<Handle> Borrow() ABSL_LOCKS_EXCLUDED(mutex_);
  void Return(Handle handle) ABSL_LOCKS_EXCLUDED(mutex_);

  const ObjectStoreConfig config_;
  const std::string signature_;  // libcurl's CURLOPT_AWS_SIGV4.
  std::atomic<bool> stopped_ = false;
  Mutex mutex_;
  CondVar changed_;
  int num_lent_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<Handle> idle_ ABSL_GUARDED_BY(mutex_);  // The last one is the warmest.
};

}  // namespace tidemill::storage
