#include "cli/command_line/completion_bash.h"

#include "fmt/format.h"

namespace tidemill::cli {
namespace {

constexpr const char* kBashHead =
    R"sh(# bash completion for tidemill; made by `tidemill completion bash`.
# Load it with:  source <(tidemill completion bash)

# Sets what may follow a command: subcommands, flags, "flag=kind" for flags with a value, and the
# kinds of its other arguments, of which the last may repeat ("...").
_tidemill_describe() {
  subcommands= flags= values= places=
  case $1 in
)sh";

constexpr const char* kBashTail = R"sh(  esac
}

# The kind of a flag's value, nothing for a flag without.
_tidemill_kind_of() {
  local entry
  for entry in $values; do
    [[ ${entry%%=*} == "$1" ]] && printf '%s' "${entry#*=}"
  done
}

_tidemill_offer() {
  case $1 in
    any | '') ;;
    file)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      ;;
    folder)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      ;;
    choice:*)
      local choices=${1#choice:}
      mapfile -t COMPREPLY < <(compgen -W "${choices//,/ }" -- "$current")
      ;;
    *)
      mapfile -t COMPREPLY < <(
        "${COMP_WORDS[0]}" __complete "$1" "${stack[@]}" 2>/dev/null | cut -f 1 |
          while IFS= read -r word; do
            [[ $word == "$current"* ]] && printf '%q\n' "$word"
          done
      )
      ;;
  esac
}

_tidemill() {
  local command=tidemill current=${COMP_WORDS[COMP_CWORD]} place=0 flag= kind= word i
  local subcommands flags values places stack=()
  COMPREPLY=()
  _tidemill_describe "$command"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == "=" && -n $flag ]]; then
      continue
    elif [[ -n $flag ]]; then
      case $flag in
        --state | --config | --server | --token-file | --tls-*) stack+=("$flag" "$word") ;;
      esac
      flag=
    elif [[ $word == -* ]]; then
      [[ -n $(_tidemill_kind_of "$word") ]] && flag=$word
    elif [[ -n $word && " $subcommands " == *" $word "* ]]; then
      command+=" $word"
      _tidemill_describe "$command"
    else
      place=$((place + 1))
    fi
  done
  [[ $current == "=" ]] && current=
  if [[ -n $flag ]]; then
    _tidemill_offer "$(_tidemill_kind_of "$flag")"
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
  elif [[ -n $subcommands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$subcommands" -- "$current")
  else
    i=0
    for word in $places; do
      if [[ $i == "$place" || ($word == *... && $i -le $place) ]]; then
        kind=${word%...}
      fi
      i=$((i + 1))
    done
    _tidemill_offer "$kind"
  fi
}

complete -F _tidemill tidemill
)sh";

// Choices are joined by commas: spaces end an entry of `values` and `places`.
std::string KindOf(const ArgumentInfo& argument) {
  switch (argument.kind) {
    case ValueKind::kNone:
    case ValueKind::kAny:
      return "any";
    case ValueKind::kFile:
      return "file";
    case ValueKind::kFolder:
      return "folder";
    case ValueKind::kChoice:
      return fmt::format("choice:{}", fmt::join(argument.choices, ","));
    default:
      return ListName(argument.kind);
  }
}

std::string BashCaseOf(const CommandInfo& command) {
  std::vector<std::string> subcommands;
  std::vector<std::string> flags;
  std::vector<std::string> values;
  std::vector<std::string> places;
  for (const CommandInfo& subcommand : command.subcommands) subcommands.push_back(subcommand.name);
  for (const ArgumentInfo& argument : command.arguments) {
    for (const std::string& flag : argument.flags) {
      flags.push_back(flag);
      if (!argument.value.empty()) values.push_back(flag + "=" + KindOf(argument));
    }
    if (argument.flags.empty()) {
      places.push_back(KindOf(argument) + (argument.repeated ? "..." : ""));
    }
  }
  return fmt::format(
      "    '{}')\n      subcommands='{}'\n      flags='{}'\n      values='{}'\n"
      "      places='{}'\n      ;;\n",
      command.path, fmt::join(subcommands, " "), fmt::join(flags, " "), fmt::join(values, " "),
      fmt::join(places, " "));
}

}  // namespace

std::string BashCompletion(const CommandInfo& root) {
  std::string script = kBashHead;
  for (const CommandInfo* command : AllCommands(root)) script += BashCaseOf(*command);
  return script + kBashTail;
}

}  // namespace tidemill::cli
