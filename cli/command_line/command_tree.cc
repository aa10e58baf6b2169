#include "cli/command_line/command_tree.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "fmt/format.h"

#include "CLI/CLI.hpp"
#include "cli/command_line/command.h"

namespace tidemill::cli {
namespace {

const std::map<std::string, ValueKind>& Kinds() {
  static const std::map<std::string, ValueKind> kinds = {
      {"FILE", ValueKind::kFile},         {"FOLDER", ValueKind::kFolder},
      {"RUN", ValueKind::kRun},           {"DATASET", ValueKind::kDataset},
      {"PIPELINE", ValueKind::kPipeline}, {"MODEL", ValueKind::kModel},
      {"SERVICE", ValueKind::kService}};
  return kinds;
}

// CLI11 shows an IsMember check as "{a,b,c}".
std::vector<std::string> ChoicesIn(const std::string& type) {
  const size_t begin = type.find('{');
  const size_t end = type.find('}');
  std::vector<std::string> choices;
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::istringstream words(type.substr(begin + 1, end - begin - 1));
  for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
  return choices;
}

// The placeholder of a value: its type name without the checks that CLI11 adds after a colon.
std::string PlaceholderOf(const std::string& type) {
  std::string name = type.substr(0, type.find(':'));
  if (name == "INT" || name == "UINT" || name == "FLOAT") return "NUMBER";
  return name;
}

ArgumentInfo Describe(const CLI::Option& option) {
  ArgumentInfo argument{
      .flags = {}, .value = {}, .meaning = option.get_description(), .choices = {}};
  for (const std::string& name : option.get_snames()) argument.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.flags.push_back("--" + name);
  argument.required = option.get_required();
  if (option.get_items_expected_max() == 0) return argument;
  const std::string type = option.get_type_name();
  argument.value = PlaceholderOf(type);
  argument.choices = ChoicesIn(type);
  const auto kind = Kinds().find(argument.value);
  argument.kind = !argument.choices.empty() ? ValueKind::kChoice
                  : kind != Kinds().end()   ? kind->second
                                            : ValueKind::kAny;
  argument.repeated = option.get_expected_max() > 1;
  if (argument.flags.empty() && kind == Kinds().end()) {
    argument.value = option.get_name(true, false);
    for (char& c : argument.value)
      c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return argument;
}

CommandInfo Describe(const Command& command, const std::string& path) {
  const CLI::App& node = command.node();
  CommandInfo info{.path = path,
                   .name = node.get_name(),
                   .meaning = node.get_description(),
                   .arguments = {},
                   .examples = command.examples(),
                   .subcommands = {}};
  for (const CLI::Option* option : node.get_options()) {
    info.arguments.push_back(Describe(*option));
  }
  for (const auto& subcommand : command.subcommands()) {
    const CLI::App& below = subcommand->node();
    if (below.get_group().empty()) continue;
    info.subcommands.push_back(Describe(*subcommand, path + " " + below.get_name()));
  }
  return info;
}

void Collect(const CommandInfo& command, std::vector<const CommandInfo*>& all) {
  all.push_back(&command);
  for (const CommandInfo& subcommand : command.subcommands) Collect(subcommand, all);
}

bool Holds(const std::vector<ArgumentInfo>& arguments, const ArgumentInfo& argument) {
  return std::ranges::find(arguments, argument) != arguments.end();
}

// Returns the options that every one of these commands has; one command shares none.
std::vector<ArgumentInfo> ArgumentsOfAll(const std::vector<const CommandInfo*>& commands) {
  if (commands.size() < 2) return {};
  std::vector<ArgumentInfo> shared = commands.front()->arguments;
  std::erase_if(shared, [&](const ArgumentInfo& argument) {
    return !std::ranges::all_of(
        commands, [&](const CommandInfo* info) { return Holds(info->arguments, argument); });
  });
  return shared;
}

std::string TableOf(const std::vector<ArgumentInfo>& arguments) {
  std::string table = "| argument | meaning |\n|---|---|\n";
  for (const ArgumentInfo& argument : arguments) {
    std::string name = fmt::format("{}", fmt::join(argument.flags, ", "));
    if (!argument.value.empty()) name += (name.empty() ? "" : " ") + argument.value;
    if (argument.repeated) name += "...";
    std::string meaning = argument.meaning;
    if (!argument.choices.empty()) {
      meaning += fmt::format(" ({})", fmt::join(argument.choices, ", "));
    }
    table += fmt::format("| `{}` | {} |\n", name, meaning);
  }
  return table;
}

}  // namespace

CommandInfo DescribeTree(const Command& root) { return Describe(root, root.node().get_name()); }

std::vector<const CommandInfo*> AllCommands(const CommandInfo& root) {
  std::vector<const CommandInfo*> all;
  Collect(root, all);
  return all;
}

const CommandInfo* FindCommand(const CommandInfo& parent, const std::string& name) {
  const auto found = std::ranges::find(parent.subcommands, name, &CommandInfo::name);
  return found == parent.subcommands.end() ? nullptr : &*found;
}

const ArgumentInfo* FindOption(const CommandInfo& command, const std::string& flag) {
  const auto found = std::ranges::find_if(command.arguments, [&](const ArgumentInfo& argument) {
    return std::ranges::find(argument.flags, flag) != argument.flags.end();
  });
  return found == command.arguments.end() ? nullptr : &*found;
}

std::string SynopsisOf(const ArgumentInfo& argument) {
  std::string value = argument.value;
  if (argument.kind == ValueKind::kChoice)
    value = fmt::format("{}", fmt::join(argument.choices, "|"));
  std::string text;
  if (!argument.flags.empty()) text = argument.flags.back();
  if (!value.empty()) text += (text.empty() ? "" : " ") + value;
  if (argument.repeated) text += "...";
  return argument.required ? text : "[" + text + "]";
}

std::string MarkdownOf(const CommandInfo& root) {
  std::vector<const CommandInfo*> commands = AllCommands(root);
  std::erase_if(commands, [](const CommandInfo* info) { return !info->subcommands.empty(); });
  const std::vector<ArgumentInfo> shared = ArgumentsOfAll(commands);
  std::string page =
      "# Commands\n\n"
      "An empty value, as an unset variable of a script gives it, is refused: it does not mean the "
      "default. Only notes may be empty. The same holds for variables such as "
      "`TIDEMILL_STATE`.\n\n";
  if (!shared.empty()) page += "## Options of all commands\n\n" + TableOf(shared) + "\n";
  for (const CommandInfo* command : commands) {
    std::vector<ArgumentInfo> own = command->arguments;
    std::erase_if(own, [&](const ArgumentInfo& argument) { return Holds(shared, argument); });
    page += fmt::format("## {}\n\n{}\n\n", command->path, command->meaning);
    if (!own.empty()) page += TableOf(own) + "\n";
    if (!command->examples.empty()) {
      page += fmt::format("```\n{}\n```\n\n", fmt::join(command->examples, "\n"));
    }
  }
  return page;
}

}  // namespace tidemill::cli
