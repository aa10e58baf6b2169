#include "storage/prepared_objects/row_objects.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

#include "base/logs/log.h"

namespace tidemill::storage {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstPause{5'000};
constexpr std::chrono::milliseconds kLongestPause{300'000};
constexpr std::chrono::milliseconds kLongestTransfer{60'000};
constexpr int64_t kRetrySoonMicros = 200'000;
constexpr int64_t kRetryMicros = 2'000'000;
constexpr int64_t kStallMicros = 5'000'000;
constexpr std::string_view kRowsExtension = ".rows";

// A read that fails at once is repeated once: stores close connections that are idle. One that
// takes long is not: the rows are prepared meanwhile.
ObjectStoreConfig Soon(ObjectStoreConfig config) {
  config.retry_for = {kRetrySoonMicros};
  return config;
}

ObjectStoreConfig Patient(ObjectStoreConfig config) {
  config.retry_for = {std::min(config.retry_for.micros, kRetryMicros)};
  config.stall_timeout = {std::min(config.stall_timeout.micros, kStallMicros)};
  return config;
}

// Says nothing about whether the store can be reached.
bool IsAboutTheObject(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsDataLoss(status);
}

}  // namespace

std::string NewBlockName(std::string_view digest, size_t num_rows) {
  std::random_device random;
  return fmt::format("{}/{:08x}{:08x}-{}{}", digest, random(), random(), num_rows, kRowsExtension);
}

std::optional<int64_t> RowsOfBlock(std::string_view name) {
  if (!name.ends_with(kRowsExtension)) return std::nullopt;
  name.remove_suffix(kRowsExtension.size());
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view number = name.substr(dash + 1);
  int64_t rows = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rows);
  const bool is_number = error == std::errc() && end == number.data() + number.size();
  constexpr int64_t kMostRows = int64_t{1} << 24;
  if (!is_number || rows <= 0 || rows > kMostRows) return std::nullopt;
  return rows;
}

absl::StatusOr<std::unique_ptr<RowObjects>> RowObjects::Open(const std::string& url,
                                                             const ObjectStoreConfig& connection) {
  ASSIGN_OR_RETURN(const std::string root, ObjectRoot(url));
  ASSIGN_OR_RETURN(ObjectPath path, ParseObjectPath(root));
  ASSIGN_OR_RETURN(const auto completed, CompletedByEnvironment(connection));
  return std::unique_ptr<RowObjects>(new RowObjects(std::move(path), completed));
}

RowObjects::RowObjects(ObjectPath root, const ObjectStoreConfig& connection)
    : root_(std::move(root)),
      url_(root_.ToString()),
      connections_(connection.connections),
      soon_(Soon(connection), kPatience),
      patient_(Patient(connection), kLongestTransfer),
      next_pause_(kFirstPause) {}

ObjectPath RowObjects::PathOf(const std::string& name) const {
  return {root_.bucket, root_.key.empty() ? name : root_.key + "/" + name};
}

bool RowObjects::is_away() const {
  MutexLock lock(mutex_);
  return Clock::now() < away_until_;
}

absl::Status RowObjects::Ready() const {
  if (is_away()) return Unavailable("{} could not be reached a moment ago", url_);
  return absl::OkStatus();
}

void RowObjects::Insist() {
  MutexLock lock(mutex_);
  away_until_ = {};
}

void RowObjects::NoteSlow() {
  Noted(Unavailable("rows did not come within {} s", kPatience.count() / 1000)).IgnoreError();
}

absl::Status RowObjects::Noted(absl::Status status) {
  const bool is_reached = status.ok() || IsAboutTheObject(status);
  bool says = false;
  {
    MutexLock lock(mutex_);
    says = has_said_away_ == is_reached;
    has_said_away_ = !is_reached;
    if (is_reached) {
      next_pause_ = kFirstPause;
    } else if (Clock::now() >= away_until_) {
      away_until_ = Clock::now() + next_pause_;
      next_pause_ = std::min(2 * next_pause_, kLongestPause);
    }
  }
  if (says && is_reached) {
    log::Info("the object store of prepared rows is used again", {{"url", url_}});
  } else if (says) {
    log::Warn(
        "the object store of prepared rows cannot be used; what is not on this host is "
        "prepared again",
        {{"url", url_}, {"because", std::string(status.message())}});
  }
  return status;
}

absl::StatusOr<std::string> RowObjects::ReadSoon(const std::string& name, int64_t from,
                                                 int64_t to) {
  RETURN_IF_ERROR(Ready());
  auto bytes = soon_.Read(PathOf(name), from, to);
  RETURN_IF_ERROR(Noted(bytes.status()));
  return bytes;
}

absl::StatusOr<std::string> RowObjects::Read(const std::string& name, int64_t from, int64_t to) {
  RETURN_IF_ERROR(Ready());
  auto bytes = patient_.Read(PathOf(name), from, to);
  RETURN_IF_ERROR(Noted(bytes.status()));
  return bytes;
}

absl::Status RowObjects::Put(const std::string& name, std::string_view bytes) {
  RETURN_IF_ERROR(Ready());
  return Noted(patient_.Put(PathOf(name), bytes));
}

absl::Status RowObjects::Delete(const std::string& name) {
  RETURN_IF_ERROR(Ready());
  return Noted(patient_.Delete(PathOf(name)));
}

absl::StatusOr<std::vector<StoredObject>> RowObjects::ListSoon(const std::string& begin) {
  return ListBy(soon_, begin);
}

absl::StatusOr<std::vector<StoredObject>> RowObjects::List(const std::string& begin) {
  return ListBy(patient_, begin);
}

absl::StatusOr<std::vector<StoredObject>> RowObjects::ListBy(S3Client& client,
                                                             const std::string& begin) {
  RETURN_IF_ERROR(Ready());
  std::vector<StoredObject> objects;
  const size_t before = root_.key.empty() ? 0 : root_.key.size() + 1;
  const auto visit = [&](const ListedObject& object) {
    if (object.key.size() <= before) return;
    objects.push_back({.name = object.key.substr(before),
                       .etag = object.etag,
                       .bytes = object.size_bytes,
                       .modified_seconds = object.modified_nanos / 1'000'000'000});
  };
  RETURN_IF_ERROR(Noted(client.List(root_.bucket, PathOf(begin).key, visit)));
  return objects;
}

}  // namespace tidemill::storage
