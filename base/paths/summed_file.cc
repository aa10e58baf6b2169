#include "base/paths/summed_file.h"

#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "base/paths/regular_file.h"

namespace tidemill::files {
namespace {

constexpr std::string_view kBefore = "\nsha256 ";
constexpr size_t kDigestBytes = 64;
constexpr size_t kLineBytes = kBefore.size() + kDigestBytes + 1;

}  // namespace

absl::Status WriteSummed(const std::string& path, std::string_view bytes) {
  return WriteAtomically(path, fmt::format("{}{}{}\n", bytes, kBefore, Sha256(bytes)));
}

absl::StatusOr<std::string> ReadSummed(const std::string& path, size_t max_bytes) {
  ASSIGN_OR_RETURN(std::string bytes, ReadRegular(path, max_bytes));
  return WithoutSum(std::move(bytes), path);
}

absl::StatusOr<std::string> WithoutSum(std::string bytes, const std::string& path) {
  if (bytes.size() < kLineBytes) return bytes;
  const std::string line = bytes.substr(bytes.size() - kLineBytes);
  if (!line.starts_with(kBefore) || line.back() != '\n') return bytes;
  bytes.resize(bytes.size() - kLineBytes);
  if (Sha256(bytes) == std::string_view(line).substr(kBefore.size(), kDigestBytes)) return bytes;
  return DataLoss("{} does not match the SHA-256 in its last line", path);
}

}  // namespace tidemill::files
