// The tree of commands while it is made and parsed. CLI11, a large library of headers, does the
// work in command.cc, so that a command's file is compiled without it:
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

// An argument with a value, just added to a command; each call adds to what is asked of it.
//
// A handle that is cheap to copy and valid as long as the tree. Thread-compatible.
class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(option) {}

  // A command line without it is wrong.
  Argument& Required();

  // What stands for the value in help, in capitals: "RUN". It also tells completion what to offer
  // (command_tree.h).
  Argument& TypeName(const std::string& name);

  // It takes from `least` to `most` values.
  Argument& Expected(int least, int most);

  // The value is wrong where `problem` finds a text to say about it; empty means that it is good.
  Argument& Check(std::function<std::string(const std::string&)> problem);

  // The value is one of these; help and completion list them.
  Argument& OneOf(const std::vector<std::string>& words);

  // The value is from `low` to `high`; both are allowed.
  Argument& Between(int low, int high);

  // The value is 0 or more.
  Argument& NonNegative();

 private:
  CLI::Option& option_;
};

// What a command line asks for.
enum class Wish {
  kCommand,  // A command, whose WhenGiven() was called.
  kText,     // Help or the version, which was printed.
};

// A node of the tree: the program itself, a group such as `runs`, or a command such as `runs list`.
//
// A node owns the nodes below it. The variables that flags and options are bound to must outlive
// the tree; Parse() sets those that the command line names and leaves the others as they are.
// To add a name twice below one node, or a flag twice to it, is a mistake in the program and ends
// it with CLI11's exception. Thread-compatible.
class Command {
 public:
  // The root: the name of the program and what it does.
  Command(const std::string& name, const std::string& meaning);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // The result is valid as long as this node.
  Command& AddSubcommand(const std::string& name, const std::string& meaning);

  // One of the subcommands has to be given.
  void RequireSubcommand();

  // `names` are separated by commas: "-q,--quiet".
  void AddFlag(const std::string& names, bool& value, const std::string& meaning);

  // "-o,--output" for an option; a name without dashes for an argument that is told by its place.
  // A vector takes any number of values. A text that is no number is a wrong usage where the
  // variable is one.
  Argument AddOption(const std::string& names, std::string& value, const std::string& meaning);
  Argument AddOption(const std::string& names, int& value, const std::string& meaning);
  Argument AddOption(const std::string& names, int64_t& value, const std::string& meaning);
  Argument AddOption(const std::string& names, std::vector<std::string>& values,
                     const std::string& meaning);
  Argument AddOption(const std::string& names, std::vector<int64_t>& values,
                     const std::string& meaning);

  // Adds --version, which prints `text`.
  void SetVersion(const std::string& text);

  // The last words of the help.
  void SetFooter(const std::string& text);

  // Leaves the command out of help, completion and manual.
  void Hide();

  // Parse() calls `action` where the command is given and nothing is wrong with its arguments.
  void WhenGiven(std::function<void()> action);

  // Reads the words of main(), for the root only, and prints the help or the version where that is
  // asked for. INVALID_ARGUMENT says what is wrong with the usage.
  absl::StatusOr<Wish> Parse(int argc, char** argv);

  // The node as CLI11 has it, for command_tree.cc.
  const CLI::App& node() const { return *node_; }

 private:
  explicit Command(std::shared_ptr<CLI::App> node);

  std::shared_ptr<CLI::App> node_;  // Shared with the node above, as CLI11 holds its tree.
  std::vector<std::unique_ptr<Command>> subcommands_;
};

}  // namespace tidemill::cli
