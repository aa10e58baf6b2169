#include "cli/command_line/command.h"

#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "CLI/CLI.hpp"
#include "base/status.h"

namespace tidemill::cli {

Argument& Argument::Required() {
  option_.required();
  return *this;
}

Argument& Argument::TypeName(const std::string& name) {
  option_.type_name(name);
  return *this;
}

Argument& Argument::Expected(int least, int most) {
  option_.expected(least, most);
  return *this;
}

Argument& Argument::OneEach() {
  option_.allow_extra_args(false);
  return *this;
}

Argument& Argument::Check(std::function<std::string(const std::string&)> problem) {
  option_.check(std::move(problem));
  return *this;
}

Argument& Argument::OneOf(const std::vector<std::string>& words) {
  option_.check(CLI::IsMember(words));
  return *this;
}

Argument& Argument::Between(int low, int high) {
  option_.check(CLI::Range(low, high));
  return *this;
}

Argument& Argument::NonNegative() {
  option_.check(CLI::NonNegativeNumber);
  return *this;
}

Command::Command(const std::string& name, const std::string& meaning)
    : node_(std::make_shared<CLI::App>(meaning, name)) {}

Command::Command(std::shared_ptr<CLI::App> node) : node_(std::move(node)) {}

Command& Command::AddSubcommand(const std::string& name, const std::string& meaning) {
  CLI::App* added = node_->add_subcommand(name, meaning);
  subcommands_.emplace_back(new Command(node_->get_subcommand_ptr(added)));
  return *subcommands_.back();
}

void Command::RequireSubcommand() { node_->require_subcommand(1); }

void Command::AddFlag(const std::string& names, bool& value, const std::string& meaning) {
  node_->add_flag(names, value, meaning);
}

Argument Command::AddOption(const std::string& names, std::string& value,
                            const std::string& meaning) {
  return Argument(*node_->add_option(names, value, meaning));
}

Argument Command::AddOption(const std::string& names, int& value, const std::string& meaning) {
  return Argument(*node_->add_option(names, value, meaning));
}

Argument Command::AddOption(const std::string& names, int64_t& value, const std::string& meaning) {
  return Argument(*node_->add_option(names, value, meaning));
}

Argument Command::AddOption(const std::string& names, std::vector<std::string>& values,
                            const std::string& meaning) {
  return Argument(*node_->add_option(names, values, meaning));
}

Argument Command::AddOption(const std::string& names, std::vector<int64_t>& values,
                            const std::string& meaning) {
  return Argument(*node_->add_option(names, values, meaning));
}

void Command::SetVersion(const std::string& text) { node_->set_version_flag("--version", text); }

void Command::SetFooter(const std::string& text) { node_->footer(text); }

Command& Command::AddExample(const std::string& line) {
  examples_.push_back(line);
  node_->footer(fmt::format("Examples:\n  {}", fmt::join(examples_, "\n  ")));
  return *this;
}

void Command::Hide() { node_->group(""); }

void Command::WhenGiven(std::function<void()> action) { node_->callback(std::move(action)); }

namespace {

// CLI11 says "Could not convert: run = weather".
std::string ProblemOf(const CLI::ParseError& error) {
  constexpr std::string_view kBefore = "Could not convert: ";
  std::string_view text = error.what();
  const size_t equals = text.find(" = ");
  if (!text.starts_with(kBefore) || equals == std::string_view::npos) return error.what();
  const std::string_view name = text.substr(kBefore.size(), equals - kBefore.size());
  const std::string_view value = text.substr(equals + 3);
  return fmt::format("'{}' is not a valid number for {}; see --help", value, name);
}

}  // namespace

// CLI11 tells by exceptions what is wrong, and that help or the version was asked for.
absl::StatusOr<ParseResult> Command::Parse(int argc, char** argv) {
  try {
    node_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return InvalidArgument("{}", ProblemOf(error));
    node_->exit(error);  // Prints it.
    return ParseResult::kText;
  }
  return ParseResult::kCommand;
}

}  // namespace tidemill::cli
