// The section `storage.object_store` of the system configuration.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "config/config.h"

namespace tidemill::storage {

struct ObjectStoreConfig {
  std::string endpoint = {};
  std::string region = {};
  std::string access_key_id = {};
  std::string secret_access_key = {};
  std::string session_token = {};
  std::string ca_file = {};
  bool plain_http = false;
  int connections = 16;
  Duration stall_timeout{10'000'000};
  Duration retry_for{30'000'000};
  config::ByteSize block_bytes{int64_t{1} << 20};
  config::ByteSize cache{int64_t{8} << 30};
  config::ByteSize memory{int64_t{64} << 20};
  Duration scan_interval{60'000'000};

  void Fields(auto&& field) {
    field("endpoint", endpoint,
          "The store's address. By default $AWS_ENDPOINT_URL, else Amazon's for the region. "
          "Buckets are named in the path.",
          {.example = "https://minio.example.com:9000"});
    field("region", region,
          "By default $AWS_REGION, else $AWS_DEFAULT_REGION, else us-east-1, which most stores "
          "other than Amazon's accept.",
          {.example = "eu-central-1"});
    field("access_key_id", access_key_id,
          "By default $AWS_ACCESS_KEY_ID. Without an access key, requests are not signed; public "
          "buckets allow that.");
    field("secret_access_key", secret_access_key, "By default $AWS_SECRET_ACCESS_KEY.",
          {.secret = true});
    field("session_token", session_token,
          "The token of temporary credentials. By default $AWS_SESSION_TOKEN if the access key "
          "comes from the environment.",
          {.secret = true});
    field("ca_file", ca_file,
          "A PEM file with the authorities that sign the store's certificate. By default those of "
          "the system.");
    field("plain_http", plain_http,
          "Allow http:// for an endpoint that is not a loopback address. Others can then read the "
          "data.");
    field("connections", connections, "Number of requests at the same time.",
          {.min = 1, .max = 256});
    field("stall_timeout", stall_timeout,
          "How long a connection may be silent. After that it is given up.",
          {.min = 0.1, .max = 3600});
    field("retry_for", retry_for,
          "How long to repeat a request that failed for a temporary reason. The intervals grow.",
          {.min = 0, .max = 86'400});
    field("block_bytes", block_bytes, "Size of the blocks that are fetched and kept.",
          {.min = 65'536, .max = 16'777'216});
    field("cache", cache, "Disk space for blocks of objects.", {.min = 0});
    field("memory", memory, "Memory for blocks of objects.", {.min = 0});
    field("scan_interval", scan_interval, "Time between two listings of a dataset in a store.",
          {.min = 0.1});
  }
  void Check(config::Problems& problems) const;
};

// Fills in the unset members from the environment. INVALID_ARGUMENT when an endpoint is neither
// http:// nor https://, when it is http:// and not on loopback, or when an access key has no
// secret.
absl::StatusOr<ObjectStoreConfig> CompletedByEnvironment(ObjectStoreConfig config);

// Whether the host of a URL is this machine: localhost, 127.x.x.x or ::1.
bool IsLoopbackUrl(std::string_view url);

}  // namespace tidemill::storage
