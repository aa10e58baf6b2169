#include "cli/command_line/misuse.h"

#include <algorithm>
#include <span>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "config/documents/problems.h"

namespace tidemill::cli {
namespace {

// "; did you mean 'run'?", or all of them if none is close.
std::string Suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string closest = config::DidYouMean(word, known);
  return closest.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : "; " + closest;
}

std::string UnknownCommand(const CommandInfo& parent, const std::string& word) {
  std::vector<std::string> known;
  for (const CommandInfo& command : parent.subcommands) known.push_back(command.name);
  return fmt::format("there is no command '{} {}'{}", parent.path, word, Suggestion(word, known));
}

std::string UnknownOption(const CommandInfo& command, const std::string& flag) {
  std::vector<std::string> known;
  for (const ArgumentInfo& argument : command.arguments) {
    known.insert(known.end(), argument.flags.begin(), argument.flags.end());
  }
  return fmt::format("'{}' has no option '{}'{}", command.path, flag, Suggestion(flag, known));
}

bool HasBelow(const CommandInfo& command, const std::string& flag) {
  return std::ranges::any_of(command.subcommands, [&](const CommandInfo& below) {
    return FindOption(below, flag) != nullptr || HasBelow(below, flag);
  });
}

// An option that comes before the command that has it: "tidemill --state X run". Options belong to
// commands, so that each says which it has.
std::string TooEarly(const CommandInfo& command, const std::string& flag,
                     std::span<const std::string> rest) {
  const auto named = std::ranges::find_if(
      rest, [&](const std::string& word) { return FindCommand(command, word) != nullptr; });
  return fmt::format("'{0}' belongs after the command: write '{1} {2} ... {0}'", flag, command.path,
                     named == rest.end() ? "COMMAND" : *named);
}

// How many words a command takes by their places; std::nullopt: any number.
std::optional<size_t> NumPlaces(const CommandInfo& command) {
  size_t places = 0;
  for (const ArgumentInfo& argument : command.arguments) {
    if (!argument.flags.empty()) continue;
    if (argument.repeated) return std::nullopt;
    ++places;
  }
  return places;
}

}  // namespace

std::optional<std::string> FindUnknownWord(const CommandInfo& root,
                                           const std::vector<std::string>& words) {
  const CommandInfo* command = &root;
  size_t num_placed = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return std::nullopt;
    if (word.size() > 1 && word.front() == '-') {
      const size_t equals = word.find('=');
      const ArgumentInfo* const option = FindOption(*command, word.substr(0, equals));
      const bool bundled = word[1] != '-' && word.size() > 2;
      if (option == nullptr && HasBelow(*command, word.substr(0, equals))) {
        return TooEarly(*command, word.substr(0, equals), std::span(words).subspan(i + 1));
      }
      if (option == nullptr && !bundled) return UnknownOption(*command, word.substr(0, equals));
      if (option != nullptr && !option->value.empty() && equals == std::string::npos) ++i;
    } else if (!command->subcommands.empty()) {
      const CommandInfo* const next = FindCommand(*command, word);
      if (next == nullptr) return UnknownCommand(*command, word);
      command = next;
    } else if (const auto places = NumPlaces(*command); places && ++num_placed > *places) {
      return fmt::format("'{}' does not know what to do with '{}': it takes {} argument{}",
                         command->path, word, *places, *places == 1 ? "" : "s");
    }
  }
  return std::nullopt;
}

}  // namespace tidemill::cli
