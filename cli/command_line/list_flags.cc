#include "cli/command_line/list_flags.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/status.h"
#include "config/documents/problems.h"

namespace tidemill::cli {
namespace {

std::string_view WithoutMinus(std::string_view key) {
  return key.starts_with('-') ? key.substr(1) : key;
}

// "one cannot sort by 'scores'; did you mean 'score'? the keys are run, score".
std::string ProblemOfKey(const std::string& text, const std::vector<std::string>& keys) {
  const std::string key(WithoutMinus(text));
  if (std::ranges::find(keys, key) != keys.end()) return "";
  const std::string closest = config::DidYouMean(key, keys);
  return fmt::format("one cannot sort by '{}'; {}{}the keys are {}; -KEY sorts from the greatest",
                     text, closest, closest.empty() ? "" : " ", fmt::join(keys, ", "));
}

}  // namespace

std::string ListFlags::SortKey() const { return std::string(WithoutMinus(sort)); }

bool ListFlags::IsDescending(bool by_default) const {
  const bool descending = sort.empty() ? by_default : sort.starts_with('-');
  return descending != reverse;
}

void AddListFlags(Command& command, ListFlags& flags, const std::string& what,
                  const std::vector<std::string>& states, const std::vector<std::string>& keys) {
  command.AddOption("--pipeline", flags.pipeline, fmt::format("Only {} of this pipeline", what))
      .TypeName("PIPELINE");
  command
      .AddOption("--only", flags.states,
                 fmt::format("Only {0} in this state; may be repeated. --state takes these words, "
                             "too",
                             what))
      .TypeName("STATE")
      .OneEach()
      .OneOf(states);
  command
      .AddOption("--tag", flags.tags,
                 fmt::format("Only {} with this tag; repeated: with all of them",
                             what == "runs" ? what : what + " of runs"))
      .TypeName("TAG")
      .OneEach();
  command
      .AddOption("--sort", flags.sort,
                 fmt::format("Sort by one of {}; -KEY sorts from the greatest (default: the newest "
                             "first)",
                             fmt::join(keys, ", ")))
      .TypeName("KEY")
      .Check([keys](const std::string& text) { return ProblemOfKey(text, keys); });
  command.AddFlag("--reverse", flags.reverse, "Turn the order round");
  command
      .AddOption("--limit", flags.limit,
                 fmt::format("Show at most this many {}, 0 for all (default: 30)", what))
      .NonNegative();
  command
      .AddOption("-o,--output", flags.format,
                 "Format (default: table); wide has more columns, csv and json have all")
      .OneOf({"table", "wide", "csv", "json"});
}

absl::Status SettleListFlags(const std::vector<std::string>& states, GlobalFlags& global,
                             ListFlags& flags) {
  if (global.json && flags.format != "table" && flags.format != "json") {
    return InvalidArgument("--json and -o {} contradict each other; leave one out", flags.format);
  }
  if (global.json) flags.format = "json";
  if (std::ranges::find(states, global.state) != states.end()) {
    flags.states.push_back(global.state);
    global.state.clear();
    return absl::OkStatus();
  }
  std::error_code error;
  if (global.state.empty() || global.state.find('/') != std::string::npos ||
      std::filesystem::exists(global.state, error)) {
    return absl::OkStatus();
  }
  const std::string closest = config::DidYouMean(global.state, states);
  if (closest.empty()) return absl::OkStatus();
  return InvalidArgument("--state {} is neither a state nor a folder; {} the states are {}",
                         global.state, closest, fmt::join(states, ", "));
}

}  // namespace tidemill::cli
