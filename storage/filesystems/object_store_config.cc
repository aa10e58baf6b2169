#include "storage/filesystems/object_store_config.h"

#include <cstdlib>
#include <initializer_list>

namespace tidemill::storage {

namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

// The first variable that is set to something.
std::string Variable(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  }
  return "";
}

void Default(std::string& member, std::string value) {
  if (member.empty()) member = std::move(value);
}

absl::Status CheckEndpoint(const ObjectStoreConfig& config) {
  const std::string_view url = config.endpoint;
  const bool plain = url.starts_with(kHttp);
  if (!plain && !url.starts_with(kHttps)) {
    return InvalidArgument("the object store's endpoint '{}' is not an https:// address", url);
  }
  const std::string_view rest = url.substr(plain ? kHttp.size() : kHttps.size());
  if (rest.empty() || rest.find_first_of("/?#@ ") != std::string_view::npos) {
    return InvalidArgument(
        "the object store's endpoint '{}' is more than a host and a port; the bucket belongs in "
        "the dataset's path",
        url);
  }
  if (plain && !config.plain_http && !IsLoopbackUrl(url)) {
    return InvalidArgument(
        "the object store's endpoint {} is not encrypted; use https://, or set "
        "storage.object_store.plain_http",
        url);
  }
  return absl::OkStatus();
}

}  // namespace

void ObjectStoreConfig::Check(config::Problems& problems) const {
  if (access_key_id.empty() != secret_access_key.empty()) {
    problems.Add(access_key_id.empty() ? "access_key_id" : "secret_access_key", "is missing",
                 "give both or, in the environment, neither");
  }
}

absl::StatusOr<ObjectStoreConfig> CompletedByEnvironment(ObjectStoreConfig config) {
  if (config.access_key_id.empty()) {
    config.access_key_id = Variable({"AWS_ACCESS_KEY_ID"});
    config.secret_access_key = Variable({"AWS_SECRET_ACCESS_KEY"});
    Default(config.session_token, Variable({"AWS_SESSION_TOKEN"}));
  }
  if (config.access_key_id.empty() != config.secret_access_key.empty()) {
    return InvalidArgument(
        "one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set without the other");
  }
  Default(config.region, Variable({"AWS_REGION", "AWS_DEFAULT_REGION"}));
  Default(config.region, "us-east-1");
  Default(config.endpoint, Variable({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}));
  Default(config.endpoint, fmt::format("https://s3.{}.amazonaws.com", config.region));
  while (config.endpoint.ends_with('/')) config.endpoint.pop_back();
  RETURN_IF_ERROR(CheckEndpoint(config));
  return config;
}

bool IsLoopbackUrl(std::string_view url) {
  const size_t scheme = url.find("://");
  std::string_view host = url.substr(scheme == std::string_view::npos ? 0 : scheme + 3);
  host = host.substr(0, host.find('/'));
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1) == "[::1]";
  host = host.substr(0, host.find(':'));
  return host == "localhost" || (host.starts_with("127.") &&
                                 host.find_first_not_of("0123456789.") == std::string_view::npos);
}

}  // namespace tidemill::storage
