// Completion scripts and manual pages, judged by the shells and by man.
#include "cli/command_line/command_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/testing/tree.h"
#include "cli/command_line/completion.h"
#include "cli/command_line/manual.h"
#include "cli/tidemill.h"

namespace tidemill::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

struct ShellResult {
  int exit_code = -1;
  std::string out;  // The text of both streams.

  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    std::istringstream in(out);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
};

ShellResult Shell(const std::string& command) {
  ShellResult result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  for (size_t count = 0; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    result.out.append(buffer, count);
  }
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

// The tree in its own folder, with a `tidemill` that needs no stack for the names of some.
class CommandTreeTest : public ::testing::Test {
 protected:
  CommandTreeTest() {
    char pattern[] = "/tmp/tidemill-cli-XXXXXX";
    folder_ = mkdtemp(pattern);
    Write("tidemill",
          "#!/bin/sh\ncase \"$*\" in\n"
          "'__complete -- watch '?|'__complete -- watch '|'__complete -- compare 7 4')\n"
          "printf '7\\tquick\\n42\\tslow\\n' ;;\n"
          "'__complete -- datasets show --state /s '*) printf 'garden of eden\\n/s\\n' ;;\n"
          "*) exec " +
              tidemill::testing::InBuild("bin/tidemill") + " \"$@\" ;; esac\n");
    std::filesystem::permissions(folder_ + "/tidemill", std::filesystem::perms::owner_all);
    Write("bash", CompletionScript("bash"));
    Write("_tidemill", CompletionScript("zsh"));
    Write("fish", CompletionScript("fish"));
  }
  ~CommandTreeTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  // COMPREPLY after `words` and Tab, the last of which is being typed.
  std::vector<std::string> Bash(const std::string& words, int last) const {
    Write("ask", "PATH=" + folder_ + ":$PATH\nsource " + folder_ + "/bash\nCOMP_WORDS=(" + words +
                     ")\nCOMP_CWORD=" + std::to_string(last) +
                     "\n_tidemill\nfor reply in \"${COMPREPLY[@]}\"; do echo \"$reply\"; done\n");
    return Shell("cd " + folder_ + " && bash --norc ask").Lines();
  }

  // What fish offers for a line, descriptions cut off.
  std::vector<std::string> Fish(const std::string& line) const {
    Write("ask", "set -x PATH " + folder_ + " $PATH\nsource " + folder_ + "/fish\ncomplete -C '" +
                     line + "'\n");
    std::vector<std::string> lines = Shell("cd " + folder_ + " && HOME=" + folder_ +
                                           " XDG_CONFIG_HOME=" + folder_ + " fish --no-config ask")
                                         .Lines();
    for (std::string& offered : lines) offered = offered.substr(0, offered.find('\t'));
    return lines;
  }

  // The screen of an interactive zsh after `line` and Tab. It shows what is offered. Keys count
  // from the prompt on: the prompt itself is not edited.
  std::string Zsh(const std::string& line) const {
    Write("ask.zsh",
          "zmodload zsh/zpty\n"
          "zpty shell 'env TERM=dumb zsh -f -i'\n"
          "zpty -w shell 'PATH=" +
              folder_ + ":$PATH; fpath=(" + folder_ +
              " $fpath); autoload -U compinit; compinit -D -u; zstyle \":completion:*\" "
              "list-prompt \"\"; bindkey \"^I\" complete-word; LISTMAX=10000; PS1=rea\"\"dy'\n"
              "zpty -r -m shell out '*ready*'\n"
              "zpty -n -w shell $'" +
              line +
              "\\t\\t'\n"
              "zpty -n -w shell $'\\C-e\\C-uecho do\"\"ne\\n'\n"
              "zpty -r -m shell out '*done*'\n"
              "print -r -- $out\n");
    return Shell("cd " + folder_ + " && timeout 60 zsh -f ask.zsh").out;
  }

  const CommandInfo root_ = DescribeTree(*MakeCommandLine());
  std::string folder_;
};

TEST_F(CommandTreeTest, HoldsEveryCommandButTheHiddenOnes) {
  std::set<std::string> paths;
  for (const CommandInfo* command : AllCommands(root_)) paths.insert(command->path);
  EXPECT_THAT(paths, AllOf(Contains("tidemill runs list"), Contains("tidemill datasets check"),
                           Contains("tidemill doctor"), Contains("tidemill completion")));
  EXPECT_THAT(paths, Not(Contains("tidemill __complete")));
  EXPECT_THAT(paths, Not(Contains("tidemill keep-stack")));
}

TEST_F(CommandTreeTest, EveryCommandAndArgumentSaysWhatItIs) {
  for (const CommandInfo* command : AllCommands(root_)) {
    EXPECT_FALSE(command->meaning.empty()) << command->path;
    for (const ArgumentInfo& argument : command->arguments) {
      EXPECT_FALSE(argument.meaning.empty()) << command->path << " " << SynopsisOf(argument);
    }
  }
}

TEST_F(CommandTreeTest, TheScriptsAreGoodInTheirShells) {
  const std::string in = "cd " + folder_ + " && ";
  EXPECT_THAT(Shell(in + "bash -n bash").out, IsEmpty());
  EXPECT_THAT(Shell(in + "zsh -f -n _tidemill").out, IsEmpty());
  EXPECT_THAT(Shell(in + "HOME=" + folder_ + " fish --no-config -n fish").out, IsEmpty());
}

TEST_F(CommandTreeTest, AValueIsCompletedByItsKind) {
  const auto others = [&](const std::vector<std::string>& words) {
    return Complete(root_, words).others;
  };
  EXPECT_EQ(others({"watch", ""}), ValueKind::kRun);
  EXPECT_EQ(others({"watch", "7", ""}), ValueKind::kNone);
  EXPECT_EQ(others({"compare", "7", "4"}), ValueKind::kRun);
  EXPECT_EQ(others({"run", "fie"}), ValueKind::kFile);
  EXPECT_EQ(others({"status", "--state", "fie"}), ValueKind::kFolder);
  EXPECT_EQ(others({"status", "--state=fie"}), ValueKind::kFolder);
  EXPECT_EQ(others({"status", "--state", "=", "fie"}), ValueKind::kFolder);
  EXPECT_EQ(others({"nonsense", "watch", "--nonsense", ""}), ValueKind::kRun);
  const Completion datasets = Complete(root_, {"datasets", "show", "--state", "/s", "g"});
  EXPECT_EQ(datasets.others, ValueKind::kDataset);
  // The stack that the line names is the one that is asked.
  EXPECT_THAT(datasets.flags, ElementsAre(Pair("--state", "/s")));
  EXPECT_THAT(Complete(root_, {"datasets", "show", "--state=/s", ""}).flags,
              ElementsAre(Pair("--state", "/s")));
}

TEST_F(CommandTreeTest, BashCompletesCommandsAndFlags) {
  EXPECT_THAT(Bash("tidemill ru", 1), UnorderedElementsAre("run", "runs"));
  EXPECT_THAT(Bash("tidemill runs st", 2), ElementsAre("stop"));
  EXPECT_THAT(Bash("tidemill datasets stats --inter", 3), ElementsAre("--intervals"));
  EXPECT_THAT(Bash("tidemill completion ''", 2), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(Bash("tidemill logs --level w", 3), ElementsAre("warn"));
  EXPECT_THAT(Bash("tidemill logs --level = w", 4), ElementsAre("warn"));
  EXPECT_THAT(Bash("tidemill nonsense ''", 2), Not(Contains("bash")));
}

TEST_F(CommandTreeTest, BashCompletesWhatTheStackKnows) {
  EXPECT_THAT(Bash("tidemill watch ''", 2), ElementsAre("7", "42"));
  EXPECT_THAT(Bash("tidemill compare 7 4", 3), ElementsAre("42"));
  EXPECT_THAT(Bash("tidemill datasets show --state /s g", 5), ElementsAre("garden\\ of\\ eden"));
  EXPECT_THAT(Bash("tidemill datasets show --state /s /", 5), ElementsAre("/s"));
  EXPECT_THAT(Bash("tidemill watch 7 ''", 3), IsEmpty());
}

TEST_F(CommandTreeTest, BashCompletesFilesAndFolders) {
  std::filesystem::create_directory(folder_ + "/fields");
  Write("field.yaml", "");
  EXPECT_THAT(Bash("tidemill run fie", 2), UnorderedElementsAre("field.yaml", "fields"));
  EXPECT_THAT(Bash("tidemill status --state fie", 3), ElementsAre("fields"));
}

TEST_F(CommandTreeTest, FishCompletesCommandsFlagsAndNames) {
  EXPECT_THAT(Fish("tidemill ru"), UnorderedElementsAre("run", "runs"));
  EXPECT_THAT(Fish("tidemill runs st"), ElementsAre("stop"));
  EXPECT_THAT(Fish("tidemill datasets stats --inter"), ElementsAre("--intervals"));
  EXPECT_THAT(Fish("tidemill watch "), ElementsAre("7", "42"));
  EXPECT_THAT(Fish("tidemill datasets show --state /s /"), ElementsAre("/s"));
  EXPECT_THAT(Fish("tidemill completion "), UnorderedElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(Fish("tidemill logs --level=w"), ElementsAre("--level=warn"));
  std::filesystem::create_directory(folder_ + "/fields");
  Write("field.yaml", "");
  EXPECT_THAT(Fish("tidemill run fie"), UnorderedElementsAre("field.yaml", "fields/"));
  EXPECT_THAT(Fish("tidemill status --state fie"), ElementsAre("fields/"));
}

TEST_F(CommandTreeTest, ZshCompletesCommandsAndNames) {
  EXPECT_THAT(Zsh("tidemill runs sto"), HasSubstr("tidemill runs stop"));
  EXPECT_THAT(Zsh("tidemill watch 4"), HasSubstr("tidemill watch 42"));
  EXPECT_THAT(Zsh("tidemill logs --level=w"), HasSubstr("tidemill logs --level=warn"));
  Write("field.yaml", "");
  EXPECT_THAT(Zsh("tidemill run fie"), HasSubstr("tidemill run field.yaml"));
  EXPECT_THAT(Zsh("tidemill runs "), AllOf(HasSubstr("resume"), HasSubstr("List runs")));
}

TEST_F(CommandTreeTest, ManHasNothingToComplainOf) {
  for (const auto& [name, page] : ManualPages(root_)) {
    Write(name, page);
    const ShellResult checked = Shell("cd " + folder_ +
                                      " && LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=80 "
                                      "man --warnings -E UTF-8 -l -Tutf8 -Z " +
                                      name + " 2>&1 >/dev/null");
    EXPECT_EQ(checked.exit_code, 0) << name;
    EXPECT_THAT(checked.out, IsEmpty()) << name;
  }
}

TEST_F(CommandTreeTest, TheManualTellsCommandsFlagsAndExitCodes) {
  const auto pages = ManualPages(root_);
  Write("tidemill.1", pages.at("tidemill.1"));
  Write("logs.1", pages.at("tidemill-logs.1"));
  const std::string read = "cd " + folder_ + " && MANWIDTH=200 man -P cat -l ";
  EXPECT_THAT(Shell(read + "tidemill.1").out,
              AllOf(HasSubstr("tidemill datasets check"), HasSubstr("EXIT STATUS"),
                    HasSubstr("detached by Ctrl-C"), HasSubstr("TIDEMILL_TLS_CA")));
  EXPECT_THAT(Shell(read + "logs.1").out,
              AllOf(HasSubstr("--since TIME"), HasSubstr("debug, info, warn, error"),
                    HasSubstr("[--level debug|info|warn|error]")));
}

TEST_F(CommandTreeTest, MarkdownHasATableForEachCommand) {
  EXPECT_THAT(
      MarkdownOf(root_),
      AllOf(HasSubstr("## tidemill runs stop\n\nStop a run; it can be resumed\n"),
            HasSubstr("| `RUN` | A run: its number, latest, "), HasSubstr("| `-f, --follow` |")));
}

}  // namespace
}  // namespace tidemill::cli
