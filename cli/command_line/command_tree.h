// The tree of commands as data. Completion, manual pages and the reference are made from it.
#pragma once

#include <string>
#include <vector>

namespace tidemill::cli {

class Command;

// The kinds of argument values, for completion.
enum class ValueKind {
  kNone,  // A flag.
  kAny,
  kChoice,  // One of `choices`.
  kFile,
  kFolder,
  // Known by a running stack, or by this program.
  kRun,
  kDataset,
  kPipeline,
  kModel,
  kService,
};

struct ArgumentInfo {
  // "-q", "--quiet". Empty for a positional argument.
  std::vector<std::string> flags;
  // The name of the value in a synopsis: "RUN". Empty for a flag.
  std::string value;
  std::string meaning;
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> choices;
  bool required = false;
  bool repeated = false;
  friend bool operator==(const ArgumentInfo&, const ArgumentInfo&) = default;
};

struct CommandInfo {
  // "tidemill", "tidemill runs list".
  std::string path;
  std::string name;
  std::string meaning;
  std::vector<ArgumentInfo> arguments;  // In the order of declaration.
  std::vector<std::string> examples;    // Lines of a shell.
  std::vector<CommandInfo> subcommands;
};

// Returns the parts of a command line. Hidden commands are left out.
//
// The kind of an argument follows from its type name, `TypeName("RUN")`: FILE, FOLDER, RUN,
// DATASET, PIPELINE, MODEL, SERVICE. OneOf() gives its choices. Any other name is kAny.
CommandInfo DescribeTree(const Command& root);

// Returns every command, parents before their subcommands.
std::vector<const CommandInfo*> AllCommands(const CommandInfo& root);

// Returns what has that name below a command, or that flag; nullptr when nothing has.
const CommandInfo* FindCommand(const CommandInfo& parent, const std::string& name);
const ArgumentInfo* FindOption(const CommandInfo& command, const std::string& flag);

// Returns the arguments as a synopsis shows them: "[--json] [--limit NUMBER] NAME".
std::string SynopsisOf(const ArgumentInfo& argument);

// Returns the commands as Markdown, for docs/reference/. What all commands take is there once.
std::string MarkdownOf(const CommandInfo& root);

}  // namespace tidemill::cli
