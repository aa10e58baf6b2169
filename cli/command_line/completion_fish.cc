#include "cli/command_line/completion_fish.h"

#include "fmt/format.h"

namespace tidemill::cli {
namespace {

constexpr const char* kFishHead =
    R"(# fish completion for tidemill; made by `tidemill completion fish`.
# Load it with:  tidemill completion fish | source

)";

constexpr const char* kFunctions = R"(
function __tidemill_at
    test (__tidemill_command) = "$argv"
end

# Names that a stack knows; the flags on the line say which stack.
function __tidemill_list
    set -l stack
    set -l words (commandline -opc)
    for i in (seq (count $words))
        switch $words[$i]
            case --state --config --server --token-file '--tls-*'
                set -a stack $words[$i] $words[(math $i + 1)]
        end
    end
    $words[1] __complete $argv[1] $stack 2>/dev/null
end

complete -c tidemill -f
)";

std::string FishQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

// The command that the line has come to, such as "tidemill runs list".
std::string CommandFunction(const CommandInfo& root) {
  std::string text =
      "function __tidemill_command\n"
      "    set -l command tidemill\n"
      "    for word in (commandline -opc)[2..]\n"
      "        switch \"$command $word\"\n"
      "            case";
  for (const CommandInfo* command : AllCommands(root)) {
    if (command != &root) text += " " + FishQuoted(command->path);
  }
  return text +
         "\n                set command \"$command $word\"\n"
         "        end\n    end\n    echo $command\nend\n";
}

std::string Offer(const ArgumentInfo& argument) {
  switch (argument.kind) {
    case ValueKind::kNone:
    case ValueKind::kAny:
      return "";
    case ValueKind::kFile:
      return " -F";
    case ValueKind::kFolder:
      return " -a '(__fish_complete_directories)'";
    case ValueKind::kChoice:
      return " -a " + FishQuoted(fmt::format("{}", fmt::join(argument.choices, " ")));
    default:
      return fmt::format(" -k -a '(__tidemill_list {})'", ListName(argument.kind));
  }
}

std::string FishLinesOf(const CommandInfo& command) {
  const std::string at =
      fmt::format("complete -c tidemill -n {}", FishQuoted("__tidemill_at " + command.path));
  std::string text;
  for (const CommandInfo& subcommand : command.subcommands) {
    text += fmt::format("{} -a {} -d {}\n", at, subcommand.name, FishQuoted(subcommand.meaning));
  }
  for (const ArgumentInfo& argument : command.arguments) {
    if (argument.flags.empty()) {
      if (const std::string offer = Offer(argument); !offer.empty()) text += at + offer + "\n";
      continue;
    }
    text += at;
    for (const std::string& flag : argument.flags) {
      const bool is_long = flag.starts_with("--");
      text += fmt::format(" {} {}", is_long ? "-l" : "-s", flag.substr(is_long ? 2 : 1));
    }
    if (!argument.value.empty()) text += " -r" + Offer(argument);
    text += " -d " + FishQuoted(argument.meaning) + "\n";
  }
  return text;
}

}  // namespace

std::string FishCompletion(const CommandInfo& root) {
  std::string script = kFishHead + CommandFunction(root) + kFunctions;
  for (const CommandInfo* command : AllCommands(root)) script += FishLinesOf(*command);
  return script;
}

}  // namespace tidemill::cli
