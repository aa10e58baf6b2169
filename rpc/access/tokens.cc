#include "rpc/access/tokens.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/files.h"
#include "base/time.h"
#include "rpc/callers/job_token.h"

namespace tidemill::rpc {
namespace {

constexpr std::pair<std::string_view, v1::Role> kRoles[] = {
    {"reader", v1::ROLE_READER}, {"operator", v1::ROLE_OPERATOR}, {"service", v1::ROLE_SERVICE}};

absl::Status CheckPrivate(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    return NotFound("cannot open {}: {}", path, std::strerror(errno));
  }
  if (info.st_uid != ::geteuid() && ::geteuid() != 0) {
    return FailedPrecondition("{} belongs to another user", path);
  }
  if ((info.st_mode & 077) != 0) {
    return FailedPrecondition("{} can be read by others; run chmod 600 {}", path, path);
  }
  return absl::OkStatus();
}

v1::Role RoleNamed(std::string_view name) {
  for (const auto& [known, role] : kRoles) {
    if (known == name) return role;
  }
  return v1::ROLE_UNSPECIFIED;
}

absl::StatusOr<std::string> NewToken() {
  unsigned char bytes[32];
  if (RAND_bytes(bytes, sizeof(bytes)) != 1) return Internal("the system provides no random bytes");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

}  // namespace

absl::StatusOr<Tokens> Tokens::Read(const std::string& path) {
  RETURN_IF_ERROR(CheckPrivate(path));
  ASSIGN_OR_RETURN(const std::string text, files::Read(path, size_t{1} << 20));
  Tokens tokens;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string role_name;
    std::string token;
    std::string rest;
    if (!(words >> role_name)) continue;
    const v1::Role role = RoleNamed(role_name);
    // The line is not quoted: it may hold a token.
    if (role == v1::ROLE_UNSPECIFIED || !(words >> token) || words >> rest) {
      return InvalidArgument(
          "{}:{}: the line is not a role (reader, operator, service) and a token", path, number);
    }
    if (token.size() < 16) {
      return InvalidArgument("{}:{}: the token has fewer than 16 characters", path, number);
    }
    if (!tokens.roles_.emplace(token, role).second) {
      return InvalidArgument("{}:{}: the token is in the file twice", path, number);
    }
  }
  if (tokens.roles_.empty()) return InvalidArgument("{} holds no token", path);
  return tokens;
}

absl::Status Tokens::Create(const std::string& path) {
  if (files::Exists(path)) return absl::OkStatus();
  std::string text;
  for (const auto& [name, role] : kRoles) {
    ASSIGN_OR_RETURN(const std::string token, NewToken());
    text += fmt::format("{} {}\n", name, token);
  }
  return files::WriteAtomically(path, text);
}

v1::Role Tokens::Find(const std::string& token) const {
  v1::Role found = v1::ROLE_UNSPECIFIED;
  for (const auto& [known, role] : roles_) {
    if (known.size() != token.size()) continue;
    if (CRYPTO_memcmp(known.data(), token.data(), known.size()) == 0) found = role;
  }
  return found;
}

absl::StatusOr<std::string> Tokens::SignForJob(const v1::JobClaims& claims) const {
  ASSIGN_OR_RETURN(const std::string secret, TokenOf(v1::ROLE_SERVICE));
  return SignJobToken(claims, secret);
}

absl::StatusOr<v1::JobClaims> Tokens::ClaimsOf(const std::string& job_token) const {
  absl::StatusOr<v1::JobClaims> claims = Unauthenticated("this service signs no tokens of jobs");
  for (const auto& [token, role] : roles_) {
    if (role != v1::ROLE_SERVICE) continue;
    claims = VerifyJobToken(job_token, token);
    if (claims.ok()) break;
  }
  RETURN_IF_ERROR(claims.status());
  if (claims->expires_at() <= Now().micros) {
    return Unauthenticated("the token of {} has expired", claims->holder());
  }
  return claims;
}

absl::StatusOr<std::string> Tokens::TokenOf(v1::Role role) const {
  for (const auto& [token, known] : roles_) {
    if (known == role) return token;
  }
  return NotFound("the token file has no token for the role {}", v1::Role_Name(role));
}

}  // namespace tidemill::rpc
