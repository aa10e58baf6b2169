#include "cli/command_line/completion_zsh.h"

#include <algorithm>

#include "fmt/format.h"

namespace tidemill::cli {
namespace {

constexpr const char* kZshHead = R"sh(#compdef tidemill
# zsh completion for tidemill; made by `tidemill completion zsh`.
# Put it into a folder of $fpath as _tidemill, or load it with:  source <(tidemill completion zsh)

# Names that a stack knows; the flags on the line say which stack. The kind comes last, after what
# _arguments has to say to compadd.
_tidemill_list() {
  local -a stack=() lines=() names=() shown=()
  local i line
  for ((i = 1; i < CURRENT; i++)); do
    case $words[i] in
      --state|--config|--server|--token-file|--tls-*) stack+=("$words[i]" "$words[i+1]") ;;
    esac
  done
  lines=(${(f)"$(tidemill __complete ${@[-1]} $stack 2>/dev/null)"})
  for line in $lines; do
    names+=("${line%%$'\t'*}")
    shown+=("${line//$'\t'/  -- }")
  done
  compadd "${@[1,-2]}" -d shown -a names
}

)sh";

constexpr const char* kZshTail = R"sh(
if [[ $funcstack[1] == _tidemill ]]; then
  _tidemill "$@"
else
  compdef _tidemill tidemill
fi
)sh";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Inside single quotes.
std::string ZshQuoted(const std::string& text) { return Replaced(text, "'", R"('\'')"); }

// Inside the brackets of an _arguments specification.
std::string Meaning(const std::string& text) {
  std::string escaped = Replaced(text, "\\", "\\\\");
  for (const char* special : {"[", "]", ":"}) {
    escaped = Replaced(escaped, special, std::string("\\") + special);
  }
  return ZshQuoted(escaped);
}

std::string FunctionOf(const CommandInfo& command) {
  std::string name = "_" + command.path;
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string ActionOf(const ArgumentInfo& argument) {
  switch (argument.kind) {
    case ValueKind::kNone:
    case ValueKind::kAny:
      return " ";
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kChoice:
      return fmt::format("({})", fmt::join(argument.choices, " "));
    default:
      return "_tidemill_list " + ListName(argument.kind);
  }
}

std::string SpecOf(const ArgumentInfo& argument) {
  const std::string value =
      argument.value.empty() ? "" : fmt::format(":{}:{}", argument.value, ActionOf(argument));
  if (argument.flags.empty()) {
    return fmt::format("    '{}{}'", argument.repeated ? "*" : argument.required ? "" : ":", value);
  }
  std::string specs;
  for (const std::string& flag : argument.flags) {
    if (!specs.empty()) specs += " \\\n";
    // "=": the value may also follow an equals sign.
    const bool is_long = flag.starts_with("--");
    specs += fmt::format("    '({}){}{}[{}]{}'", fmt::join(argument.flags, " "), flag,
                         !value.empty() && is_long ? "=" : "", Meaning(argument.meaning), value);
  }
  return specs;
}

std::string FunctionFor(const CommandInfo& command) {
  std::string text = FunctionOf(command) + "() {\n";
  std::string arguments;
  for (const ArgumentInfo& argument : command.arguments) {
    arguments += " \\\n" + SpecOf(argument);
  }
  if (command.subcommands.empty()) return text + "  _arguments -S" + arguments + "\n}\n\n";
  text += "  local state line curcontext=$curcontext\n  local -a commands=(\n";
  std::string cases;
  for (const CommandInfo& subcommand : command.subcommands) {
    text += fmt::format("    '{}:{}'\n", subcommand.name,
                        ZshQuoted(Replaced(subcommand.meaning, ":", "\\:")));
    cases += fmt::format("        {}) {} ;;\n", subcommand.name, FunctionOf(subcommand));
  }
  text += "  )\n  _arguments -C" + arguments + " \\\n    '1: :->command' '*:: :->rest'\n";
  text += "  case $state in\n    command) _describe -t commands command commands ;;\n";
  text += "    rest)\n      case $line[1] in\n" + cases + "      esac\n      ;;\n  esac\n}\n\n";
  return text;
}

}  // namespace

std::string ZshCompletion(const CommandInfo& root) {
  std::string script = kZshHead;
  for (const CommandInfo* command : AllCommands(root)) script += FunctionFor(*command);
  return script + kZshTail;
}

}  // namespace tidemill::cli
