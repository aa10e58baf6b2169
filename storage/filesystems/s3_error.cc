#include "storage/filesystems/s3_error.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/check.h"
#include "storage/filesystems/s3_xml.h"

namespace tidemill::storage {

namespace {

// Advice to the user about a refusal.
std::string AdviceOn(std::string_view code, const ObjectStoreConfig& config) {
  if (config.access_key_id.empty()) {
    return "there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for the "
           "storage service, or set storage.object_store";
  }
  if (code == "SignatureDoesNotMatch") {
    return "check the secret access key (AWS_SECRET_ACCESS_KEY) and the region";
  }
  if (code == "InvalidAccessKeyId") return "check the access key (AWS_ACCESS_KEY_ID)";
  if (code == "RequestTimeTooSkewed") return "correct this machine's clock";
  if (code == "ExpiredToken" || code == "InvalidToken") {
    return "get new temporary credentials (AWS_SESSION_TOKEN)";
  }
  return fmt::format(
      "let the access key {} list the bucket and read its objects; prepared rows need to be "
      "written and deleted, too",
      config.access_key_id);
}

bool IsPassing(int status, std::string_view code) {
  constexpr std::array kStatuses = {408, 429, 500, 502, 503, 504};
  return std::find(kStatuses.begin(), kStatuses.end(), status) != kStatuses.end() ||
         code == "RequestTimeout" || code == "SlowDown";
}

}  // namespace

absl::Status ToStatus(const HttpResponse& response, const ObjectPath& path,
                      const ObjectStoreConfig& config) {
  TIDEMILL_CHECK(response.status < 200 || response.status > 299);
  const StoreError error = ParseStoreError(response.body);
  const std::string place = fmt::format("{} at {}", path.ToString(), config.endpoint);
  const std::string answer =
      error.code.empty() ? std::to_string(response.status)
                         : fmt::format("{} {}: {}", response.status, error.code, error.message);
  if (response.status == 401 || response.status == 403) {
    return PermissionDenied("{} is refused ({}); {}", place, answer, AdviceOn(error.code, config));
  }
  if (error.code == "NoSuchBucket" || (response.status == 404 && path.key.empty())) {
    return FailedPrecondition("there is no bucket {} ({}); check the path and the region", place,
                              answer);
  }
  if (response.status == 404) return NotFound("there is no object {} ({})", place, answer);
  if (response.status == 412) {
    return FailedPrecondition("{} was replaced while it was read", path.ToString());
  }
  if (response.status == 416) return DataLoss("{} is shorter than it was", path.ToString());
  if (response.status / 100 == 3 || error.code == "AuthorizationHeaderMalformed" ||
      error.code == "IllegalLocationConstraintException") {
    const std::string region = response.Header("x-amz-bucket-region");
    return FailedPrecondition(
        "{} belongs to {} ({}); set AWS_REGION or storage.object_store.region", place,
        region.empty() ? "another region" : "region " + region, answer);
  }
  if (IsPassing(response.status, error.code)) return Unavailable("{} answers {}", place, answer);
  return FailedPrecondition("{} answers {}", place, answer);
}

}  // namespace tidemill::storage
