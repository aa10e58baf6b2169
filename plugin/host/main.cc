// tidemill-plugin-host: runs a user's plug-in apart from everything else. Started by a service with
// the descriptors of docs/formats/plugin_protocol.md, never by hand.
#include <fcntl.h>

#include <cstdio>
#include <set>
#include <string>

#include "CLI/CLI.hpp"
#include "plugin/host/inner.h"
#include "plugin/host/options.h"
#include "plugin/host/warden.h"

namespace tidemill::plugin::host {
namespace {

bool HasDescriptors(int num_files) {
  for (int number = 0; number < kFirstData + num_files; ++number) {
    if (fcntl(number, F_GETFD) < 0) return false;
  }
  return true;
}

int Main(int argc, char** argv) {
  CLI::App app("Runs a plug-in; started by services, never by hand.", "tidemill-plugin-host");
  Options options;
  app.add_option("--language", options.language, "What the plug-in is written in.")
      ->check(CLI::IsMember(std::set<std::string>{"c++", "python"}));
  app.add_option("--python", options.python, "The Python that runs it.");
  app.add_option("--memory", options.memory, "The most memory that it may have, in bytes.");
  app.add_option("--files", options.num_files, "The number of data files.")
      ->check(CLI::Range(0, 16));
  app.add_option("--threads", options.num_threads, "The threads of its arithmetic.")
      ->check(CLI::Range(1, 1024));
  app.add_option("--sandbox", options.sandbox, "What it runs in.")
      ->check(CLI::IsMember(std::set<std::string>{"auto", "bwrap", "landlock", "none"}));
  app.add_option("--modules", options.modules, "The folder with the Python package tidemill.");
  app.add_option("--inside", options.inside)->group("");
  app.add_option("--folder", options.folders)->group("");
  app.add_flag("--inner", options.is_inner)->group("");
  app.add_flag("--trial", options.is_trial)->group("");
  CLI11_PARSE(app, argc, argv);
  if (options.is_trial) return 0;
  if (options.language.empty() || !HasDescriptors(options.num_files)) {
    std::fputs("tidemill-plugin-host: started by services only\n", stderr);
    return kCannotRun;
  }
  return options.is_inner ? RunInner(options) : RunWarden(options);
}

}  // namespace
}  // namespace tidemill::plugin::host

int main(int argc, char** argv) { return tidemill::plugin::host::Main(argc, argv); }
