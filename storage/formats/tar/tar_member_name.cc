#include "storage/formats/tar/tar_member_name.h"

namespace tidemill::storage {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<MemberName> SplitName(std::string_view path) {
  const size_t name = path.rfind('/') + 1;
  const size_t dot = path.find('.', name);
  if (dot == std::string_view::npos || dot == name || dot + 1 == path.size()) return std::nullopt;
  return MemberName{path.substr(0, dot), LowerCase(path.substr(dot + 1))};
}

}  // namespace tidemill::storage
