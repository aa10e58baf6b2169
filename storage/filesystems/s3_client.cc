#include "storage/filesystems/s3_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>
#include <utility>

#include "storage/filesystems/s3_error.h"

namespace tidemill::storage {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{5'000};

std::string TargetOf(const ObjectPath& path) {
  return fmt::format("/{}/{}", path.bucket, PercentEncode(path.key, /*keep_slashes=*/true));
}

std::optional<int64_t> ToNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Somewhere between half of a pause and all of it: those that failed together do not come back
// together.
std::chrono::milliseconds Jittered(std::chrono::milliseconds pause) {
  thread_local std::minstd_rand generator(std::random_device{}());
  return std::chrono::milliseconds(
      std::uniform_int_distribution<int64_t>(pause.count() / 2, pause.count())(generator));
}

// Whether an answer carries what was asked for: the bytes [from, to) of that state of the object.
absl::Status CheckRange(const HttpResponse& response, const ObjectState& object, int64_t from,
                        int64_t to) {
  const std::string range = response.Header("content-range");
  const std::string wanted = fmt::format("bytes {}-{}/{}", from, to - 1, object.size_bytes);
  const bool whole = response.status == 200 && from == 0 && to == object.size_bytes;
  if (!whole && range != wanted) {
    return FailedPrecondition(
        "{} was asked for '{}' and answered {} '{}'; the store must support range requests",
        object.path.ToString(), wanted, response.status, range);
  }
  const std::string etag = response.Header("etag");
  if (!etag.empty() && etag != object.etag) {
    return FailedPrecondition("{} was replaced while it was read", object.path.ToString());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HttpResponse> S3Client::AskOnce(const ObjectPath& path, const HttpRequest& request,
                                               const BodySink& sink) {
  absl::StatusOr<HttpResponse> response = http_.Perform(request, sink);
  RETURN_IF_ERROR(
      Annotate(response.status(), fmt::format("{} at {}", path.ToString(), endpoint())));
  if (response->status / 100 != 2) return ToStatus(*response, path, config_);
  return response;
}

absl::Status S3Client::Persist(const std::function<absl::Status(bool& got_further)>& attempt) {
  const std::chrono::microseconds patience(config_.retry_for.micros);
  Clock::time_point deadline = Clock::now() + patience;
  std::chrono::milliseconds pause = kFirstPause;
  while (true) {
    bool got_further = false;
    absl::Status status = attempt(got_further);
    if (!absl::IsUnavailable(status)) return status;
    if (got_further) {
      deadline = Clock::now() + patience;
      pause = kFirstPause;
    }
    if (Clock::now() + pause > deadline) return status;
    if (!http_.Pause(Jittered(pause))) return Cancelled("storage is stopping");
    pause = std::min(2 * pause, kLongestPause);
  }
}

absl::StatusOr<HttpResponse> S3Client::Ask(const ObjectPath& path, const HttpRequest& request) {
  HttpResponse answer;
  RETURN_IF_ERROR(Persist([&](bool&) -> absl::Status {
    ASSIGN_OR_RETURN(answer, AskOnce(path, request, {}));
    return absl::OkStatus();
  }));
  return answer;
}

absl::StatusOr<ObjectState> S3Client::Head(const ObjectPath& path) {
  ASSIGN_OR_RETURN(const HttpResponse answer,
                   Ask(path, {.method = HttpMethod::kHead, .target = TargetOf(path)}));
  ObjectState state{.path = path, .etag = answer.Header("etag")};
  const std::optional<int64_t> size = ToNumber(answer.Header("content-length"));
  if (state.etag.empty() || !size) {
    return FailedPrecondition("{} at {} answers without ETag or size; it is not an S3 store",
                              path.ToString(), endpoint());
  }
  state.size_bytes = *size;
  const time_t modified = curl_getdate(answer.Header("last-modified").c_str(), nullptr);
  state.modified_nanos = std::max<int64_t>(0, modified) * 1'000'000'000;
  return state;
}

absl::Status S3Client::Get(const ObjectState& object, int64_t from, int64_t to,
                           const std::function<absl::Status(std::string_view)>& take) {
  if (from == to) return absl::OkStatus();
  int64_t next = from;
  return Persist([&](bool& got_further) -> absl::Status {
    const int64_t begin = next;
    const BodySink sink = [&](const HttpResponse& response, std::string_view bytes) {
      if (next == begin) RETURN_IF_ERROR(CheckRange(response, object, begin, to));
      got_further = true;
      next += static_cast<int64_t>(bytes.size());
      return next > to
                 ? DataLoss("{} sends more bytes than it was asked for", object.path.ToString())
                 : take(bytes);
    };
    const HttpRequest request{
        .target = TargetOf(object.path),
        .headers = {fmt::format("Range: bytes={}-{}", begin, to - 1), "If-Match: " + object.etag}};
    RETURN_IF_ERROR(AskOnce(object.path, request, sink).status());
    if (next < to) return Unavailable("{} ended early", object.path.ToString());
    return absl::OkStatus();
  });
}

absl::StatusOr<std::string> S3Client::Read(const ObjectPath& path, int64_t from, int64_t to) {
  if (from == to) return std::string();
  const HttpRequest request{.target = TargetOf(path),
                            .headers = {fmt::format("Range: bytes={}-{}", from, to - 1)}};
  ASSIGN_OR_RETURN(HttpResponse answer, Ask(path, request));
  // A store that knows no ranges sends the whole object.
  if (answer.status == 200 && from > 0) {
    answer.body.erase(0, std::min(answer.body.size(), static_cast<size_t>(from)));
  }
  if (std::ssize(answer.body) < to - from) return DataLoss("{} is cut off", path.ToString());
  answer.body.resize(static_cast<size_t>(to - from));
  return std::move(answer.body);
}

absl::Status S3Client::Put(const ObjectPath& path, std::string_view bytes) {
  return Ask(path, {.method = HttpMethod::kPut, .target = TargetOf(path), .body = bytes}).status();
}

absl::Status S3Client::Delete(const ObjectPath& path) {
  const absl::Status status =
      Ask(path, {.method = HttpMethod::kDelete, .target = TargetOf(path)}).status();
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

absl::StatusOr<ListPage> S3Client::Page(const std::string& bucket, const std::string& query) {
  const ObjectPath path{.bucket = bucket, .key = ""};
  const HttpRequest request{.target = fmt::format("/{}?{}", bucket, query)};
  ListPage page;
  RETURN_IF_ERROR(Persist([&](bool&) -> absl::Status {
    ASSIGN_OR_RETURN(const HttpResponse answer, AskOnce(path, request, {}));
    absl::StatusOr<ListPage> parsed = ParseListPage(answer.body);
    RETURN_IF_ERROR(
        Annotate(parsed.status(), fmt::format("{} at {}", path.ToString(), endpoint())));
    page = *std::move(parsed);
    return absl::OkStatus();
  }));
  return page;
}

absl::Status S3Client::List(const std::string& bucket, const std::string& prefix,
                            const std::function<void(const ListedObject&)>& visit) {
  std::string continuation;
  while (true) {
    // In the order of names: libcurl 7.88 signs a query unsorted, the store sorts it.
    std::string query = continuation.empty() ? ""
                                             : fmt::format("continuation-token={}&",
                                                           PercentEncode(continuation, false));
    query += "encoding-type=url&list-type=2&prefix=" + PercentEncode(prefix, false);
    ASSIGN_OR_RETURN(ListPage page, Page(bucket, query));
    for (const ListedObject& object : page.objects) visit(object);
    if (!page.continuation) return absl::OkStatus();
    continuation = *std::move(page.continuation);
  }
}

absl::StatusOr<bool> S3Client::HasObjects(const std::string& bucket, const std::string& prefix) {
  ASSIGN_OR_RETURN(const ListPage page,
                   Page(bucket, "encoding-type=url&list-type=2&max-keys=1&prefix=" +
                                    PercentEncode(prefix, false)));
  return !page.objects.empty();
}

}  // namespace tidemill::storage
