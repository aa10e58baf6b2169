#include "loader/prepared/named_op.h"

#include <algorithm>
#include <charconv>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace tidemill::loader {

absl::StatusOr<int> OpNamed(std::string_view name, std::span<const std::string> types) {
  int place = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
  if (error == std::errc() && end == name.data() + name.size()) {
    if (place >= 1 && place <= std::ssize(types)) return place - 1;
    return InvalidArgument("the graph has no op {}: it has {} ops", place, types.size());
  }
  const auto first = std::ranges::find(types, name);
  if (first == types.end()) {
    return InvalidArgument("the graph has no op {}; its ops are {}", name, fmt::join(types, ", "));
  }
  if (std::find(first + 1, types.end(), name) != types.end()) {
    return InvalidArgument("several ops of the graph are {}; name the place of one, from 1", name);
  }
  return static_cast<int>(first - types.begin());
}

}  // namespace tidemill::loader
