// The tree of commands while it is made and parsed. CLI11, a large header-only library, does the
// work in command.cc, so that the file of a command is compiled without it:
//
//   Command& show = models.AddSubcommand("show", "Show a model's parts");
//   show.AddOption("model", flags.model, "Model id").Required().TypeName("MODEL");
//   show.AddFlag("-a,--all", flags.all, "Show every part");
//   show.WhenGiven([] { ... });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tidemill::cli {

// An argument with a value. Each call but MayBeEmpty() adds a requirement. A value must not be
// empty: an unset variable of a script must not mean what leaving the option out means.
//
// A handle that is cheap to copy. It is valid as long as the tree is. Thread-compatible.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(option) {}

  // The argument must be given.
  Argument& Required();

  // Sets the name of the value in help, in capitals: "RUN". Completion also uses it to find values
  // (command_tree.h).
  Argument& TypeName(const std::string& name);

  // The argument takes from `least` to `most` values.
  Argument& Expected(int least, int most);

  // The option takes one value each time that it is given, and so leaves the next words to others.
  Argument& OneEach();

  // The value may be an empty text.
  Argument& MayBeEmpty();

  // Checks a value. `problem` returns the mistake in it, or an empty text when it is valid.
  Argument& Check(std::function<std::string(const std::string&)> problem);

  // The value must be one of these. Help and completion list them.
  Argument& OneOf(const std::vector<std::string>& words);

  // The value must be a whole number from `low` to `high`, both included. A mistake names them.
  Argument& Between(int64_t low, int64_t high);

  // The value must be a whole number of 0 or more.
  Argument& NonNegative();

 private:
  CLI::Option& option_;
};

// The kind of a command line.
enum class ParseResult {
  kCommand,  // A command. Its WhenGiven() action was called.
  kText,     // Help or the version. It was printed.
};

// A node of the tree: the program itself, a group such as `runs`, or a command such as `runs list`.
//
// A node owns the nodes below it. The variables of flags and options must outlive the tree. Parse()
// sets the variables that the command line names, and leaves the others unchanged. Adding a name
// twice below one node, or a flag twice to a node, is a mistake in the program and ends it with
// CLI11's exception. Thread-compatible.
class Command {
 public:
  // Makes the root. `name` is the name of the program, and `meaning` describes it.
  Command(const std::string& name, const std::string& meaning);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Returns a node that is valid as long as this one.
  Command& AddSubcommand(const std::string& name, const std::string& meaning);

  // One of the subcommands must be given.
  void RequireSubcommand();

  // `names` are separated by commas: "-q,--quiet".
  void AddFlag(const std::string& names, bool& value, const std::string& meaning);

  // "-o,--output" is an option. A name without dashes is a positional argument. A vector takes any
  // number of values. When the variable is a number, any text but a whole number that it can hold
  // is a wrong usage.
  Argument AddOption(const std::string& names, std::string& value, const std::string& meaning);
  Argument AddOption(const std::string& names, int& value, const std::string& meaning);
  Argument AddOption(const std::string& names, int64_t& value, const std::string& meaning);
  Argument AddOption(const std::string& names, std::vector<std::string>& values,
                     const std::string& meaning);
  Argument AddOption(const std::string& names, std::vector<int64_t>& values,
                     const std::string& meaning);

  // Adds --version, which prints `text`.
  void SetVersion(const std::string& text);

  // Sets the last words of the help.
  void SetFooter(const std::string& text);

  // Adds a line of a shell with this command, which ends the help, the manual page and the
  // reference: "tidemill runs show 12/3". Every command has one.
  Command& AddExample(const std::string& line);
  const std::vector<std::string>& examples() const { return examples_; }

  // Removes the command from help, completion and manual.
  void Hide();

  // Parse() calls `action` when the command is given and its arguments are valid.
  void WhenGiven(std::function<void()> action);

  // Parses the arguments of main(); for the root only. Prints the help or the version on request.
  // INVALID_ARGUMENT names the mistake.
  absl::StatusOr<ParseResult> Parse(int argc, char** argv);

  // Returns CLI11's node, for command_tree.cc.
  const CLI::App& node() const { return *node_; }

  // Returns the nodes below, in the order in which they were added.
  const std::vector<std::unique_ptr<Command>>& subcommands() const { return subcommands_; }

 private:
  explicit Command(std::shared_ptr<CLI::App> node);

  std::shared_ptr<CLI::App> node_;  // The node above shares it, as CLI11's tree does.
  std::vector<std::unique_ptr<Command>> subcommands_;
  std::vector<std::string> examples_;
};

}  // namespace tidemill::cli
