#include "trainer_server/ranks/rank_place.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "fmt/format.h"

namespace tidemill::trainer_server {
namespace {

constexpr int64_t kMostRanks = 65'536;

using Variable = std::function<std::optional<std::string>(const std::string&)>;

std::optional<std::string> FindArgument(std::span<const std::string> arguments,
                                        const std::string& name) {
  const std::string begin = name + "=";
  for (const std::string& argument : arguments) {
    if (argument.starts_with(begin)) return argument.substr(begin.size());
  }
  return std::nullopt;
}

absl::StatusOr<int64_t> ReadNumber(const Variable& variable, const std::string& name, int64_t end) {
  const std::string text = variable(name).value_or("");
  int64_t number = -1;
  if (!absl::SimpleAtoi(text, &number) || number < 0 || number >= end) {
    return InvalidArgument("{} is '{}'; a number from 0 to {} is wanted", name, text, end - 1);
  }
  return number;
}

absl::StatusOr<RankPlace> ReadFrom(const Variable& variable) {
  RankPlace place;
  ASSIGN_OR_RETURN(place.size, ReadNumber(variable, "WORLD_SIZE", kMostRanks));
  ASSIGN_OR_RETURN(place.rank, ReadNumber(variable, "RANK", place.size));
  place.store = variable("STORE").value_or("");
  if (!place.store.empty()) return place;
  place.address = variable("MASTER_ADDR").value_or("");
  if (place.address.empty()) {
    return InvalidArgument("a rank needs MASTER_ADDR and MASTER_PORT, where the ranks meet");
  }
  constexpr int64_t kPorts = 65'536;
  ASSIGN_OR_RETURN(const int64_t port, ReadNumber(variable, "MASTER_PORT", kPorts));
  place.port = static_cast<int>(port);
  place.is_hosted = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
  return place;
}

}  // namespace

std::string EndOfRendezvous(const std::string& store) { return store + ".over"; }

std::vector<std::string> ArgumentsOf(const RankPlace& place) {
  std::vector<std::string> arguments = {fmt::format("RANK={}", place.rank),
                                        fmt::format("WORLD_SIZE={}", place.size)};
  if (!place.store.empty()) {
    arguments.push_back("STORE=" + place.store);
  } else {
    arguments.push_back("MASTER_ADDR=" + place.address);
    arguments.push_back(fmt::format("MASTER_PORT={}", place.port));
    if (place.is_hosted) arguments.emplace_back("TORCHELASTIC_USE_AGENT_STORE=True");
  }
  return arguments;
}

absl::StatusOr<std::optional<RankPlace>> ReadRankPlace(std::span<const std::string> arguments,
                                                       const Variable& variable) {
  const bool is_argued = FindArgument(arguments, "RANK").has_value();
  if (!is_argued && !variable("RANK")) return std::optional<RankPlace>();
  const Variable argument = [&](const std::string& name) { return FindArgument(arguments, name); };
  ASSIGN_OR_RETURN(RankPlace place, ReadFrom(is_argued ? argument : variable));
  return std::optional(std::move(place));
}

}  // namespace tidemill::trainer_server
