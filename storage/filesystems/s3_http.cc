#include "storage/filesystems/s3_http.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "base/digest.h"

namespace tidemill::storage {

namespace {

constexpr long kConnectTimeoutMillis = 5'000;
constexpr long kContinueMillis = 200;
constexpr long kBufferBytes = 512 << 10;
// An answer without a sink: a page of a listing, an error.
constexpr size_t kMaxBodyBytes = size_t{64} << 20;
// SHA-256 of nothing, which is what most of our requests carry.
constexpr char kEmptyBody[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return "";
  return std::string(text.substr(from, text.find_last_not_of(kBlank) - from + 1));
}

class HeaderList {
 public:
  ~HeaderList() { curl_slist_free_all(list_); }
  void Add(const std::string& line) { list_ = curl_slist_append(list_, line.c_str()); }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

}  // namespace

std::string HttpResponse::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

// One request and its answer.
class S3Http::Exchange {
 public:
  Exchange(const S3Http& http, CURL* handle, const BodySink& sink)
      : http_(http), handle_(handle), sink_(sink) {}

  absl::StatusOr<HttpResponse> Run(const HttpRequest& request) {
    // Options go, the connection stays.
    curl_easy_reset(handle_);
    SetTransport();
    SetRequest(request);
    if (!http_.config_.access_key_id.empty()) Sign(request);
    curl_easy_setopt(handle_, CURLOPT_HTTPHEADER, headers_.get());
    SetCallbacks();
    const CURLcode code = curl_easy_perform(handle_);
    if (!taken_.ok()) return taken_;
    if (http_.stopped_) return Cancelled("storage is stopping");
    const char* const reason = *error_ != '\0' ? error_ : curl_easy_strerror(code);
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) {
      return FailedPrecondition("{}; name its authority in storage.object_store.ca_file", reason);
    }
    if (code != CURLE_OK) return Unavailable("{}", reason);
    return std::move(response_);
  }

 private:
  void SetTransport() {
    const ObjectStoreConfig& config = http_.config_;
    const int64_t stall = std::max<int64_t>(1, (config.stall_timeout.micros + 999'999) / 1'000'000);
    curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle_, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMillis);
    curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS, static_cast<long>(http_.longest_.count()));
    curl_easy_setopt(handle_, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(handle_, CURLOPT_LOW_SPEED_TIME, static_cast<long>(stall));
    curl_easy_setopt(handle_, CURLOPT_BUFFERSIZE, kBufferBytes);
    curl_easy_setopt(handle_, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(handle_, CURLOPT_ERRORBUFFER, error_);
    if (IsLoopbackUrl(config.endpoint)) curl_easy_setopt(handle_, CURLOPT_NOPROXY, "*");
    if (!config.ca_file.empty()) {
      curl_easy_setopt(handle_, CURLOPT_CAINFO, config.ca_file.c_str());
    }
  }

  void SetRequest(const HttpRequest& request) {
    const std::string url = http_.config_.endpoint + request.target;
    curl_easy_setopt(handle_, CURLOPT_URL, url.c_str());
    // An object may be named "..".
    curl_easy_setopt(handle_, CURLOPT_PATH_AS_IS, 1L);
    if (request.method == HttpMethod::kHead) curl_easy_setopt(handle_, CURLOPT_NOBODY, 1L);
    if (request.method == HttpMethod::kDelete) {
      curl_easy_setopt(handle_, CURLOPT_CUSTOMREQUEST, "DELETE");
    }
    if (request.method == HttpMethod::kPut) SetBody(request.body);
    for (const std::string& header : request.headers) headers_.Add(header);
  }

  void SetBody(std::string_view body) {
    curl_easy_setopt(handle_, CURLOPT_CUSTOMREQUEST, "PUT");
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDS, body.data());
    headers_.Add("Content-Type: application/octet-stream");
    // How long to wait for a server that does not say whether it wants a long body.
    curl_easy_setopt(handle_, CURLOPT_EXPECT_100_TIMEOUT_MS, kContinueMillis);
  }

  void Sign(const HttpRequest& request) {
    const ObjectStoreConfig& config = http_.config_;
    curl_easy_setopt(handle_, CURLOPT_AWS_SIGV4, http_.signature_.c_str());
    curl_easy_setopt(handle_, CURLOPT_USERNAME, config.access_key_id.c_str());
    curl_easy_setopt(handle_, CURLOPT_PASSWORD, config.secret_access_key.c_str());
    headers_.Add("x-amz-content-sha256: " +
                 (request.body.empty() ? std::string(kEmptyBody) : Sha256(request.body)));
    if (!config.session_token.empty()) {
      headers_.Add("x-amz-security-token: " + config.session_token);
    }
  }

  void SetCallbacks() {
    curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, &Exchange::OnBody);
    curl_easy_setopt(handle_, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(handle_, CURLOPT_HEADERFUNCTION, &Exchange::OnHeader);
    curl_easy_setopt(handle_, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(handle_, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle_, CURLOPT_XFERINFOFUNCTION, &Exchange::OnProgress);
    curl_easy_setopt(handle_, CURLOPT_XFERINFODATA, this);
  }

  static size_t OnBody(char* bytes, size_t one, size_t size, void* exchange) {
    return static_cast<Exchange*>(exchange)->TakeBody({bytes, one * size}) ? one * size : 0;
  }
  static size_t OnHeader(char* bytes, size_t one, size_t size, void* exchange) {
    static_cast<Exchange*>(exchange)->TakeHeader({bytes, one * size});
    return one * size;
  }
  static int OnProgress(void* exchange, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Exchange*>(exchange)->http_.stopped_ ? 1 : 0;
  }

  bool TakeBody(std::string_view bytes) {
    if (sink_ && response_.status / 100 == 2) {
      taken_ = sink_(response_, bytes);
    } else if (response_.body.size() + bytes.size() > kMaxBodyBytes) {
      taken_ = ResourceExhausted("the answer is longer than {} bytes", kMaxBodyBytes);
    } else {
      response_.body += bytes;
    }
    return taken_.ok();
  }

  void TakeHeader(std::string_view line) {
    if (line.starts_with("HTTP/")) {
      // The first line of an answer. Another one follows "100 Continue".
      response_ = {};
      const size_t space = std::min(line.find(' '), line.size() - 1) + 1;
      std::from_chars(line.data() + space, line.data() + line.size(), response_.status);
      return;
    }
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    response_.headers[name] = Trimmed(line.substr(colon + 1));
  }

  const S3Http& http_;
  CURL* const handle_;
  const BodySink& sink_;
  HeaderList headers_;
  HttpResponse response_;
  absl::Status taken_;
  char error_[CURL_ERROR_SIZE] = {};
};

void S3Http::CloseHandle::operator()(void* handle) const { curl_easy_cleanup(handle); }

S3Http::S3Http(const ObjectStoreConfig& config, std::chrono::milliseconds longest)
    : config_(config), longest_(longest), signature_(fmt::format("aws:amz:{}:s3", config.region)) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
}

S3Http::~S3Http() {
  Stop();
  MutexLock lock(mutex_);
  while (num_lent_ > 0) changed_.wait(mutex_);
}

absl::StatusOr<HttpResponse> S3Http::Perform(const HttpRequest& request, const BodySink& sink) {
  ASSIGN_OR_RETURN(Handle handle, Borrow());
  absl::StatusOr<HttpResponse> response = Exchange(*this, handle.get(), sink).Run(request);
  Return(std::move(handle));
  return response;
}

absl::StatusOr<S3Http::Handle> S3Http::Borrow() {
  MutexLock lock(mutex_);
  while (num_lent_ >= config_.connections && !stopped_) changed_.wait(mutex_);
  if (stopped_) return Cancelled("storage is stopping");
  Handle handle;
  if (idle_.empty()) {
    handle.reset(curl_easy_init());
    if (handle == nullptr) return ResourceExhausted("not enough memory for a connection");
  } else {
    handle = std::move(idle_.back());
    idle_.pop_back();
  }
  ++num_lent_;
  return handle;
}

void S3Http::Return(Handle handle) {
  MutexLock lock(mutex_);
  idle_.push_back(std::move(handle));
  --num_lent_;
  changed_.notify_all();
}

void S3Http::Stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool S3Http::Pause(std::chrono::milliseconds length) {
  const auto until = std::chrono::steady_clock::now() + length;
  MutexLock lock(mutex_);
  while (!stopped_ && changed_.wait_until(mutex_, until) != std::cv_status::timeout) {
  }
  return !stopped_;
}

}  // namespace tidemill::storage
