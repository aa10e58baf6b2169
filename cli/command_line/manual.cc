#include "cli/command_line/manual.h"

#include <algorithm>
#include <cctype>

#include "fmt/format.h"

#include "base/version.h"
#include "cli/terminal/exit_codes.h"

namespace tidemill::cli {
namespace {

struct Named {
  const char* name;
  const char* meaning;
};

constexpr Named kEnvironment[] = {
    {"TIDEMILL_STATE", "State folder of the local stack, where --state is not given."},
    {"TIDEMILL_DATA", "What ${TIDEMILL_DATA} stands for in pipeline files."},
    {"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL",
     "Give access to datasets and prepared samples in an object store. The command that starts the "
     "local stack reads them, and `datasets prepare`."},
    {"TIDEMILL_POSTGRES",
     "Folder with the programs of PostgreSQL 15 or newer for new local stacks, instead of Debian's "
     "newest in /usr/lib/postgresql."},
    {"TIDEMILL_CONFIG", "System configuration of a remote stack, where --config is not given."},
    {"TIDEMILL_SERVER", "Endpoint of a remote supervisor, where --server is not given."},
    {"TIDEMILL_TOKEN_FILE", "File with the token, where --token-file is not given."},
    {"TIDEMILL_TLS_CA, TIDEMILL_TLS_CERTIFICATE, TIDEMILL_TLS_KEY",
     "PEM files, where --tls-ca, --tls-certificate and --tls-key are not given."},
    {"NO_COLOR", "When set, nothing is coloured or repainted."},
};

constexpr Named kFiles[] = {
    {"/var/lib/tidemill", "State folder of root."},
    {"~/.local/state/tidemill", "State folder of other users, or below XDG_STATE_HOME."},
    {"<state folder>/logs", "What the services logged; see tidemill-logs(1)."},
};

// Text as roff takes it: nothing in it is a request or an escape, hyphens can be copied.
std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '`') {
      continue;  // Code is set off in Markdown only.
    } else {
      out += c;
    }
  }
  if (!out.empty() && (out.front() == '.' || out.front() == '\'')) out.insert(0, "\\&");
  return out;
}

std::string PageOf(const CommandInfo& command) {
  std::string name = command.path;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string Heading(const CommandInfo& command) {
  std::string title = PageOf(command);
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(
      ".\\\" Made by `tidemill man`.\n.TH {} 1 \"\" \"Tidemill {}\" \"Tidemill manual\"\n"
      ".SH NAME\n{} \\- {}\n",
      Escaped(title), kVersion, Escaped(PageOf(command)), Escaped(command.meaning));
}

std::string Synopsis(const CommandInfo& command) {
  std::string text = ".SH SYNOPSIS\n.nh\n.ad l\n.B " + Escaped(command.path) + "\n";
  if (!command.subcommands.empty()) text += ".I COMMAND\n.RI [ ARGUMENTS ...]\n";
  if (command.subcommands.empty()) {
    for (const ArgumentInfo& argument : command.arguments) {
      if (!argument.flags.empty() && argument.flags.back() == "--help") continue;
      text += Escaped(SynopsisOf(argument)) + "\n";
    }
  }
  return text + ".ad b\n.hy\n";
}

std::string Entry(const std::string& term, const std::string& meaning) {
  return fmt::format(".TP\n.B {}\n{}\n", Escaped(term), Escaped(meaning));
}

std::string Arguments(const CommandInfo& command) {
  std::string text = ".SH OPTIONS\n";
  for (const ArgumentInfo& argument : command.arguments) {
    std::string term = fmt::format("{}", fmt::join(argument.flags, ", "));
    if (!argument.value.empty()) term += (term.empty() ? "" : " ") + argument.value;
    std::string meaning = argument.meaning;
    if (!argument.choices.empty()) {
      meaning += fmt::format(" (one of {})", fmt::join(argument.choices, ", "));
    }
    text += Entry(term, meaning);
  }
  return text;
}

std::string Examples(const CommandInfo& command) {
  std::string text = ".SH EXAMPLES\n.nf\n";
  for (const std::string& line : command.examples) text += Escaped(line) + "\n";
  return text + ".fi\n";
}

std::string References(const std::vector<std::string>& pages) {
  std::string text = ".SH SEE ALSO\n";
  for (size_t i = 0; i < pages.size(); ++i) {
    text += fmt::format(".BR {} (1){}\n", Escaped(pages[i]), i + 1 < pages.size() ? "," : "");
  }
  return text;
}

std::string MainPage(const CommandInfo& root) {
  std::string text = Heading(root) + Synopsis(root);
  text +=
      ".SH DESCRIPTION\nTidemill trains machine\\-learning models on data that keeps changing. It "
      "decides when to retrain and on which samples, and measures every model over time.\n.PP\n"
      "Results are written to standard output, everything else to standard error. With\n.B "
      "\\-\\-json\nthe result is one JSON document. When a command fails, it is\n.B {\"error\": "
      "{...}}\nwith "
      "the code, message, file, line, column and advice that are known.\n.SH COMMANDS\n";
  std::vector<std::string> pages;
  for (const CommandInfo* command : AllCommands(root)) {
    if (!command->subcommands.empty()) continue;
    text += Entry(command->path, command->meaning);
    pages.push_back(PageOf(*command));
  }
  text += ".SH EXIT STATUS\n";
  for (const ExitCodeMeaning& code : ExitCodeMeanings()) {
    text += Entry(std::to_string(code.code), code.meaning);
  }
  text += ".SH ENVIRONMENT\n";
  for (const Named& variable : kEnvironment) text += Entry(variable.name, variable.meaning);
  text += ".SH FILES\n";
  for (const Named& file : kFiles) text += Entry(file.name, file.meaning);
  return text + References(pages);
}

}  // namespace

std::map<std::string, std::string> ManualPages(const CommandInfo& root) {
  std::map<std::string, std::string> pages;
  pages[PageOf(root) + ".1"] = MainPage(root);
  for (const CommandInfo* command : AllCommands(root)) {
    if (!command->subcommands.empty()) continue;
    std::string text = Heading(*command) + Synopsis(*command);
    text += ".SH DESCRIPTION\n" + Escaped(command->meaning) + ".\n" + Arguments(*command);
    text += Examples(*command);
    text += ".SH EXIT STATUS\nSee\n.BR tidemill (1).\n" + References({"tidemill"});
    pages[PageOf(*command) + ".1"] = text;
  }
  return pages;
}

}  // namespace tidemill::cli
