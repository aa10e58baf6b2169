// The tree of commands as data: what completion, manual pages and the reference are made from.
#pragma once

#include <string>
#include <vector>

namespace tidemill::cli {

class Command;

// What can stand for an argument's value, for completion.
enum class ValueKind {
  kNone,  // A flag.
  kAny,
  kChoice,  // One of `choices`.
  kFile,
  kFolder,
  // Known to a running stack, or to this program: `tidemill __complete KIND` lists them.
  kRun,
  kDataset,
  kPipeline,
  kModel,
  kService,
};

// "runs", "datasets", ... : what `__complete` calls a kind; empty for those it does not list.
std::string ListName(ValueKind kind);

struct ArgumentInfo {
  // "-q", "--quiet"; empty for an argument that is told by its place.
  std::vector<std::string> flags;
  // What stands for the value in a synopsis: "RUN"; empty for a flag.
  std::string value;
  std::string meaning;
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> choices;
  bool required = false;
  bool repeated = false;
};

struct CommandInfo {
  // "tidemill", "tidemill runs list".
  std::string path;
  std::string name;
  std::string meaning;
  std::string footer;
  std::vector<ArgumentInfo> arguments;  // In the order of declaration.
  std::vector<CommandInfo> subcommands;
};

// What a command line is made of, hidden commands left out.
//
// The kind of an argument is told by its type name, `TypeName("RUN")`: FILE, FOLDER, RUN, DATASET,
// PIPELINE, MODEL, SERVICE; OneOf() gives its choices; any other name is kAny.
CommandInfo DescribeTree(const Command& root);

// Every command, parents before their subcommands.
std::vector<const CommandInfo*> AllCommands(const CommandInfo& root);

// "[--json] [--limit NUMBER] NAME": the arguments as a synopsis shows them.
std::string SynopsisOf(const ArgumentInfo& argument);

// The commands as Markdown, for docs/reference/.
std::string MarkdownOf(const CommandInfo& root);

}  // namespace tidemill::cli
