#include "storage/formats/tar/tar_links.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "records/text.h"

namespace tidemill::storage {

namespace {

// Links that lead to links, one after another.
constexpr int kMaxLinks = 8;

// The path without "." and "..". std::nullopt when it leads out of the archive.
std::optional<std::string> PlainPath(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  std::string plain;
  for (const std::string_view part : parts) {
    if (!plain.empty()) plain += '/';
    plain += part;
  }
  return plain;
}

std::optional<std::string> TargetOf(const TarMember& link) {
  if (link.kind == TarMember::Kind::kHardLink) return PlainPath(link.target);
  if (link.target.starts_with('/')) return std::nullopt;
  return PlainPath(link.path.substr(0, link.path.rfind('/') + 1) + link.target);
}

}  // namespace

absl::StatusOr<TarLinks> TarLinks::Read(const OpenFile& file, int64_t file_size) {
  TarLinks links;
  ASSIGN_OR_RETURN(bool more, links.Collect(file, file_size, /*every_link=*/true));
  for (int i = 0; more && i < kMaxLinks; ++i) {
    for (auto& [path, places] : links.targets_) places.clear();
    ASSIGN_OR_RETURN(more, links.Collect(file, file_size, /*every_link=*/false));
  }
  return links;
}

absl::StatusOr<bool> TarLinks::Collect(const OpenFile& file, int64_t file_size, bool every_link) {
  bool more = every_link;
  TarReader reader(file, file_size);
  while (true) {
    ASSIGN_OR_RETURN(std::optional<TarMember> member, reader.Next());
    if (!member) return more;
    const bool is_file = member->kind == TarMember::Kind::kFile;
    if (!is_file && !member->is_link()) continue;
    const std::optional<std::string> path = PlainPath(member->path);
    const auto looked_for = path ? targets_.find(*path) : targets_.end();
    const bool is_target = looked_for != targets_.end();
    if (is_target && !every_link) looked_for->second.push_back(*member);
    if (is_file || !(is_target || every_link)) continue;
    const std::optional<std::string> target = TargetOf(*member);
    if (target) more |= targets_.try_emplace(*target).second;
  }
}

const TarMember* TarLinks::Find(const TarMember& link) const {
  const std::optional<std::string> path = TargetOf(link);
  const auto found = path ? targets_.find(*path) : targets_.end();
  if (found == targets_.end() || found->second.empty()) return nullptr;
  const Places& places = found->second;
  if (link.kind == TarMember::Kind::kSymbolicLink) return &places.back();
  const auto behind = std::ranges::lower_bound(places, link.offset, {}, &TarMember::offset);
  return behind == places.begin() ? nullptr : &*std::prev(behind);
}

TarMember TarLinks::Resolve(const TarMember& link) const {
  const TarMember* at = &link;
  for (int i = 0; at != nullptr && at->is_link() && i < kMaxLinks; ++i) at = Find(*at);
  TarMember resolved = at == nullptr || at->is_link() ? link : *at;
  resolved.path = link.path;
  if (resolved.is_link()) {
    resolved.problem = fmt::format("it is a {} link to '{}', which the archive does not hold",
                                   link.kind == TarMember::Kind::kHardLink ? "hard" : "symbolic",
                                   AsText(link.target, 200));
  }
  return resolved;
}

}  // namespace tidemill::storage
