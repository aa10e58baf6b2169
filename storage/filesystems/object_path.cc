#include "storage/filesystems/object_path.h"

#include <algorithm>

namespace tidemill::storage {

namespace {

constexpr std::string_view kScheme = "s3://";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool IsBucketName(std::string_view name) {
  const auto fits = [](char c) { return IsLowerOrDigit(c) || c == '-' || c == '.'; };
  return name.size() >= 3 && name.size() <= 63 && std::all_of(name.begin(), name.end(), fits) &&
         IsLowerOrDigit(name.front()) && IsLowerOrDigit(name.back());
}

// 16 for what is not a digit.
size_t HexValue(char c) {
  const char upper = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  return std::min<size_t>(kHexDigits.find(upper), 16);
}

}  // namespace

std::string ObjectPath::ToString() const {
  return key.empty() ? fmt::format("s3://{}", bucket) : fmt::format("s3://{}/{}", bucket, key);
}

absl::StatusOr<ObjectPath> ParseObjectPath(std::string_view path) {
  if (!IsObjectPath(path)) return InvalidArgument("'{}' does not begin with s3://", path);
  const std::string_view rest = path.substr(kScheme.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  ObjectPath parsed{.bucket = std::string(rest.substr(0, slash)),
                    .key = std::string(rest.substr(std::min(slash + 1, rest.size())))};
  if (!IsBucketName(parsed.bucket)) {
    return InvalidArgument(
        "'{}' does not name a bucket; a bucket has 3 to 63 lower-case letters, digits, dots and "
        "hyphens, as in s3://bucket/folder",
        path);
  }
  return parsed;
}

absl::StatusOr<std::string> ObjectRoot(std::string_view path) {
  while (path.size() > kScheme.size() && path.ends_with('/')) path.remove_suffix(1);
  ASSIGN_OR_RETURN(const ObjectPath root, ParseObjectPath(path));
  for (size_t from = 0; from < root.key.size();) {
    const size_t to = std::min(root.key.find('/', from), root.key.size());
    const std::string_view name = std::string_view(root.key).substr(from, to - from);
    if (name.empty() || name == "." || name == "..") {
      return InvalidArgument("'{}' has a folder named '{}'", path, name);
    }
    from = to + 1;
  }
  return root.ToString();
}

bool IsBelowObjectRoot(std::string_view root, std::string_view path) {
  if (!path.starts_with(root)) return false;
  return path.size() == root.size() || path[root.size()] == '/';
}

std::string PercentEncode(std::string_view text, bool keep_slashes) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
                       c == '_' || c == '~' || (keep_slashes && c == '/');
    if (plain) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kHexDigits[byte >> 4];
    encoded += kHexDigits[byte & 15];
  }
  return encoded;
}

std::string PercentDecode(std::string_view text) {
  std::string decoded;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t high = text[at] == '%' && at + 2 < text.size() ? HexValue(text[at + 1]) : 16;
    const size_t low = high < 16 ? HexValue(text[at + 2]) : 16;
    if (low < 16) {
      decoded += static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      decoded += text[at] == '+' ? ' ' : text[at];
    }
  }
  return decoded;
}

}  // namespace tidemill::storage
