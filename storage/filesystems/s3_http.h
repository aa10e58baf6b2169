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

enum class HttpMethod { kGet, kHead, kPut, kDelete };

struct HttpRequest {
  HttpMethod method = HttpMethod::kGet;
  // The path and the query after the host, encoded. The parts of the query are ordered by name. It
  // is signed in this form.
  std::string target;
  std::vector<std::string> headers = {};  // "Range: bytes=0-9".
  // For kPut. It must outlive the request.
  std::string_view body = {};
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers = {};  // With names in lower case.
  std::string body = {};                            // The body that no sink has taken.

  std::string Header(const std::string& name) const;
};

// Takes the next bytes of the body of an answer, whose headers are complete. A status other than OK
// ends the request and is its result.
using BodySink = std::function<absl::Status(const HttpResponse&, std::string_view)>;

// Thread-safe. At most `connections` requests run at a time; others wait. Connections are kept.
class S3Http {
 public:
  // `config` must come from CompletedByEnvironment(). A request takes no longer than `longest`,
  // unless that is 0.
  explicit S3Http(const ObjectStoreConfig& config, std::chrono::milliseconds longest = {});
  ~S3Http();
  S3Http(const S3Http&) = delete;
  S3Http& operator=(const S3Http&) = delete;

  // Performs a request once. The body of a 2xx answer goes to `sink`, if there is one. Any answer
  // of the server is a response. UNAVAILABLE with the reason when no whole answer came. CANCELLED
  // after Stop().
  absl::StatusOr<HttpResponse> Perform(const HttpRequest& request, const BodySink& sink)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends the running requests and refuses later ones.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits for `length`, or until Stop(). Returns false after Stop().
  bool Pause(std::chrono::milliseconds length) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string& endpoint() const { return config_.endpoint; }

 private:
  // A handle of libcurl, which keeps its connection.
  struct CloseHandle {
    void operator()(void* handle) const;
  };
  using Handle = std::unique_ptr<void, CloseHandle>;
  class Exchange;

  absl::StatusOr<Handle> Borrow() ABSL_LOCKS_EXCLUDED(mutex_);
  void Return(Handle handle) ABSL_LOCKS_EXCLUDED(mutex_);

  const ObjectStoreConfig config_;
  const std::chrono::milliseconds longest_;
  const std::string signature_;  // For libcurl's CURLOPT_AWS_SIGV4.
  std::atomic<bool> stopped_ = false;
  Mutex mutex_;
  CondVar changed_;
  int num_lent_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<Handle> idle_ ABSL_GUARDED_BY(mutex_);  // The last one was used last.
};

}  // namespace tidemill::storage
