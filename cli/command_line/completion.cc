#include "cli/command_line/completion.h"

#include <algorithm>

namespace tidemill::cli {
namespace {

constexpr const char* kBash =
    R"sh(# bash completion for tidemill; made by `tidemill completion bash`.
# Load it with:  source <(tidemill completion bash)
_tidemill() {
  local line current=${COMP_WORDS[COMP_CWORD]}
  [[ $current == "=" ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
      "$current"*) COMPREPLY+=("$(printf '%q' "${line%%$'\t'*}")") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _tidemill tidemill
)sh";

constexpr const char* kZsh = R"sh(#compdef tidemill
# zsh completion for tidemill; made by `tidemill completion zsh`.
# Put it into a folder of $fpath as _tidemill, or load it with:  source <(tidemill completion zsh)
_tidemill() {
  local -a names=() shown=()
  local line
  for line in ${(f)"$(tidemill __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
    names+=("${line%%$'\t'*}")
    shown+=("${line//$'\t'/  -- }")
  done
  [[ $words[CURRENT] == --*=* ]] && compset -P '*='
  case $names[1] in
    :files) _files ;;
    :folders) _files -/ ;;
    *) compadd -d shown -a names ;;
  esac
}

if [[ $funcstack[1] == _tidemill ]]; then
  _tidemill "$@"
else
  compdef _tidemill tidemill
fi
)sh";

constexpr const char* kFish =
    R"sh(# fish completion for tidemill; made by `tidemill completion fish`.
# Load it with:  tidemill completion fish | source
function __tidemill_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l flag (string match -r -- '^--[^=]*=' $current)
    for line in ($words[1] __complete -- $words[2..] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path $current
            case :folders
                __fish_complete_directories $current
            case '*'
                echo -- "$flag$line"
        end
    end
end
complete -c tidemill -f -k -a '(__tidemill_complete)'
)sh";

// Where a line has come to.
struct Place {
  const CommandInfo* command;
  const ArgumentInfo* flag = nullptr;  // Its value is next.
  size_t num_arguments = 0;            // Positional ones.
};

// The n-th positional argument. The last one may be repeated.
const ArgumentInfo* ArgumentAt(const CommandInfo& command, size_t n) {
  const ArgumentInfo* last = nullptr;
  for (const ArgumentInfo& argument : command.arguments) {
    if (!argument.flags.empty()) continue;
    last = &argument;
    if (n-- == 0) return last;
  }
  return last != nullptr && last->repeated ? last : nullptr;
}

void Pass(const std::string& word, Place& place, std::map<std::string, std::string>& flags) {
  if (place.flag != nullptr) {
    flags[place.flag->flags.back()] = word;
    place.flag = nullptr;
  } else if (word.starts_with('-')) {
    const size_t equals = std::min(word.find('='), word.size());
    const ArgumentInfo* const flag = FindOption(*place.command, word.substr(0, equals));
    if (flag == nullptr || flag->value.empty()) return;
    place.flag = flag;
    if (equals < word.size()) Pass(word.substr(equals + 1), place, flags);
  } else if (const CommandInfo* const below = FindCommand(*place.command, word)) {
    place = {.command = below};
  } else {
    ++place.num_arguments;
  }
}

void OfferValues(const ArgumentInfo* argument, Completion& completion) {
  if (argument == nullptr) return;
  completion.others = argument->kind;
  for (const std::string& choice : argument->choices) completion.words.emplace_back(choice, "");
}

}  // namespace

Completion Complete(const CommandInfo& root, const std::vector<std::string>& words) {
  Completion completion;
  Place place{.command = &root};
  std::string last = words.empty() ? "" : words.back();
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    // bash gives the sign of `--flag=value` as a word.
    if (words[i] != "=" || place.flag == nullptr) Pass(words[i], place, completion.flags);
  }
  if (const size_t equals = last.find('='); last.starts_with("--") && equals != std::string::npos) {
    Pass(last.substr(0, equals), place, completion.flags);
  }
  if (place.flag != nullptr) {
    OfferValues(place.flag, completion);
  } else if (last.starts_with('-')) {
    for (const ArgumentInfo& argument : place.command->arguments) {
      for (const std::string& flag : argument.flags) {
        completion.words.emplace_back(flag, argument.meaning);
      }
    }
  } else if (!place.command->subcommands.empty()) {
    for (const CommandInfo& command : place.command->subcommands) {
      completion.words.emplace_back(command.name, command.meaning);
    }
  } else {
    OfferValues(ArgumentAt(*place.command, place.num_arguments), completion);
  }
  return completion;
}

std::string CompletionScript(const std::string& shell) {
  return shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish;
}

}  // namespace tidemill::cli
