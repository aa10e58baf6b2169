#include "cli/command_line/command.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fmt/format.h"

#include "CLI/CLI.hpp"
#include "base/status.h"

namespace tidemill::cli {
namespace {

using Problem = std::function<std::string(const std::string&)>;

constexpr char kNotEmpty[] = "not empty";

// Checks that are added later come first: they know better what is wrong with a value.
void CheckFirst(CLI::Option& option, Problem problem) {
  CLI::Validator check([problem = std::move(problem)](std::string& text) { return problem(text); },
                       "");
  check.non_modifying();
  option.transform(std::move(check));
}

std::string ProblemOfNumber(const std::string& text, int64_t low, int64_t high) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  const bool is_number = parsed == end && error == std::errc();
  if (is_number && number >= low && number <= high) return "";
  if (high == std::numeric_limits<int64_t>::max() && low == 0) {
    return fmt::format("'{}' is not a whole number of 0 or more, and at most {}", text, high);
  }
  return fmt::format("'{}' is not a whole number from {} to {}", text, low, high);
}

Argument TextOption(CLI::Option& option) {
  option.check(
      [](const std::string& text) {
        return text.empty() ? "the value is empty: write one, or leave the option out" : "";
      },
      "", kNotEmpty);
  return Argument(option);
}

template <typename Number>
Argument NumberOption(CLI::Option& option) {
  option.check(
      [](const std::string& text) {
        return ProblemOfNumber(text, std::numeric_limits<Number>::min(),
                               std::numeric_limits<Number>::max());
      },
      "");
  return Argument(option);
}

}  // namespace

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

Argument& Argument::MayBeEmpty() {
  option_.get_validator(kNotEmpty)->active(false);
  return *this;
}

Argument& Argument::Check(std::function<std::string(const std::string&)> problem) {
  CheckFirst(option_, std::move(problem));
  return *this;
}

Argument& Argument::OneOf(const std::vector<std::string>& words) {
  option_.check(CLI::IsMember(words));
  return *this;
}

Argument& Argument::Between(int64_t low, int64_t high) {
  CheckFirst(option_,
             [low, high](const std::string& text) { return ProblemOfNumber(text, low, high); });
  return *this;
}

Argument& Argument::NonNegative() { return Between(0, std::numeric_limits<int64_t>::max()); }

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
  return TextOption(*node_->add_option(names, value, meaning));
}

Argument Command::AddOption(const std::string& names, int& value, const std::string& meaning) {
  return NumberOption<int>(*node_->add_option(names, value, meaning));
}

Argument Command::AddOption(const std::string& names, int64_t& value, const std::string& meaning) {
  return NumberOption<int64_t>(*node_->add_option(names, value, meaning));
}

Argument Command::AddOption(const std::string& names, std::vector<std::string>& values,
                            const std::string& meaning) {
  return TextOption(*node_->add_option(names, values, meaning));
}

Argument Command::AddOption(const std::string& names, std::vector<int64_t>& values,
                            const std::string& meaning) {
  return NumberOption<int64_t>(*node_->add_option(names, values, meaning));
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

// CLI11 would take the next word for the value of `--state=`. Returns the first such word.
std::optional<std::string_view> OptionWithNothingAfterEquals(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return std::nullopt;
    if (word.starts_with("--") && word.find('=') == word.size() - 1) return word;
  }
  return std::nullopt;
}

}  // namespace

// CLI11 tells by exceptions what is wrong, and that help or the version was asked for.
absl::StatusOr<ParseResult> Command::Parse(int argc, char** argv) {
  try {
    if (const auto word = OptionWithNothingAfterEquals(argc, argv)) {
      return InvalidArgument("{} is empty: write a value after it, or leave the option out", *word);
    }
    node_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return InvalidArgument("{}", error.what());
    node_->exit(error);  // Prints it.
    return ParseResult::kText;
  }
  return ParseResult::kCommand;
}

}  // namespace tidemill::cli
