#include "rpc/callers/job_token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"

#include "base/check.h"

namespace tidemill::rpc {
namespace {

constexpr std::string_view kPrefix = "job";

// Signs the prefix, too, so that the secret signs nothing but such tokens.
std::string SignatureOf(std::string_view claims, std::string_view secret) {
  const std::string text = fmt::format("{}.{}", kPrefix, claims);
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const unsigned char* const made =
      HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), bytes, &size);
  TIDEMILL_CHECK(made != nullptr);
  return absl::WebSafeBase64Escape(absl::string_view(reinterpret_cast<const char*>(bytes), size));
}

struct Parts {
  std::string claims;
  std::string signature;
};

absl::StatusOr<Parts> PartsOf(std::string_view token) {
  const std::vector<std::string> parts =
      absl::StrSplit(absl::string_view(token.data(), token.size()), '.');
  if (parts.size() != 3 || parts[0] != kPrefix) {
    return Unauthenticated("the call carries a job's token that is not one");
  }
  return Parts{.claims = parts[1], .signature = parts[2]};
}

absl::StatusOr<v1::JobClaims> ClaimsOf(const Parts& parts) {
  std::string bytes;
  v1::JobClaims claims;
  if (!absl::WebSafeBase64Unescape(parts.claims, &bytes) || !claims.ParseFromString(bytes)) {
    return Unauthenticated("the call carries a job's token that is not one");
  }
  return claims;
}

}  // namespace

bool IsJobToken(std::string_view token) { return token.starts_with("job."); }

std::string SignJobToken(const v1::JobClaims& claims, std::string_view secret) {
  const std::string text = absl::WebSafeBase64Escape(claims.SerializeAsString());
  return fmt::format("{}.{}.{}", kPrefix, text, SignatureOf(text, secret));
}

absl::StatusOr<v1::JobClaims> VerifyJobToken(std::string_view token, std::string_view secret) {
  ASSIGN_OR_RETURN(const Parts parts, PartsOf(token));
  const std::string expected = SignatureOf(parts.claims, secret);
  if (parts.signature.size() != expected.size() ||
      CRYPTO_memcmp(parts.signature.data(), expected.data(), expected.size()) != 0) {
    return Unauthenticated(
        "the call carries a job's token that no service of this stack has signed");
  }
  return ClaimsOf(parts);
}

absl::StatusOr<v1::JobClaims> ReadVerifiedToken(std::string_view token) {
  ASSIGN_OR_RETURN(const Parts parts, PartsOf(token));
  return ClaimsOf(parts);
}

}  // namespace tidemill::rpc
