// The tree of commands while it is made and parsed. CLI11, a large library of headers, does the
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

// An argument with a value that was just added to a command. Each call adds a requirement.
//
// A handle that is cheap to copy. It is valid as long as the tree is. Thread-compatible.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(option) {}

  // The argument must be given.
  Argument& Required();

  // Sets the name of the value in help, in capitals: "RUN". It also tells completion what to offer
  // (command_tree.h).
  Argument& TypeName(const std::string& name);

  // The argument takes from `least` to `most` values.
  Argument& Expected(int least, int most);

  // Checks a value. `problem` returns what is wrong with it, or an empty text when it is valid.
  Argument& Check(std::function<std::string(const std::string&)> problem);

  // The value must be one of these. Help and completion list them.
  Argument& OneOf(const std::vector<std::string>& words);

  // The value must be from `low` to `high`, both included.
  Argument& Between(int low, int high);

  // The value must be 0 or more.
  Argument& NonNegative();

 private:
  CLI::Option& option_;
};

// What a command line asks for.
enum class Wish {
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
  // Makes the root. `name` is the name of the program, and `meaning` is what it does.
  Command(const std::string& name, const std::string& meaning);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Returns a node that is valid as long as this one.
  Command& AddSubcommand(const std::string& name, const std::string& meaning);

  // One of the subcommands must be given.
  void RequireSubcommand();

  // `names` are separated by commas: "-q,--quiet".
  void AddFlag(const std::string& names, bool& value, const std::string& meaning);

  // "-o,--output" is an option. A name without dashes is an argument that is identified by its
  // place. A vector takes any number of values. When the variable is a number, any other text is a
  // wrong usage.
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

  // Removes the command from help, completion and manual.
  void Hide();

  // Parse() calls `action` when the command is given and its arguments are valid.
  void WhenGiven(std::function<void()> action);

  // Reads the words of main(); for the root only. Prints the help or the version on request.
  // INVALID_ARGUMENT says what is wrong with the usage.
  absl::StatusOr<Wish> Parse(int argc, char** argv);

  // Returns CLI11's node, for command_tree.cc.
  const CLI::App& node() const { return *node_; }

 private:
  explicit Command(std::shared_ptr<CLI::App> node);

  std::shared_ptr<CLI::App> node_;  // The node above shares it, as CLI11's tree does.
  std::vector<std::unique_ptr<Command>> subcommands_;
};

}  // namespace tidemill::cli
