#include "plugin/host/sandbox.h"

#include <filesystem>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "base/process/library_folders.h"
#include "base/process/program_folder.h"
#include "base/sandbox/allowed_files.h"
#include "plugin/host/python.h"

namespace tidemill::plugin::host {
namespace {

constexpr char kName[] = "tidemill-plugin-host";

// The program of the inner process, and the folders that it needs.
struct Inner {
  Program program;
  std::vector<std::string> folders;
};

void Add(std::vector<std::string>& arguments, std::initializer_list<std::string> more) {
  arguments.insert(arguments.end(), more);
}

// Where the Python package is that came with the programs of a folder: an installation has it in
// lib. In a wheel the programs are in the package, and what Python imports is there once.
std::string ModulesFolder(const std::string& programs) {
  const std::string installed = programs + "/../lib/tidemill/python";
  const std::string around = programs + "/../../..";
  std::error_code error;
  const bool in_wheel = !std::filesystem::exists(installed, error) &&
                        std::filesystem::exists(around + "/tidemill/plugin_host.py", error);
  return in_wheel ? around : installed;
}

absl::StatusOr<Inner> PlainInner(const Options& options) {
  ASSIGN_OR_RETURN(const std::string folder, process::ProgramFolder());
  Inner inner{.program = {.path = folder + "/" + kName,
                          .arguments = {"--inner", "--language", options.language, "--memory",
                                        std::to_string(options.memory), "--threads",
                                        std::to_string(options.num_threads)},
                          .environment = PluginEnvironment(options.num_threads)},
              .folders = {folder}};
  // A wheel brings libraries that are not in the folders of the system.
  const std::vector<std::string> libraries = process::LibraryFolders();
  inner.folders.insert(inner.folders.end(), libraries.begin(), libraries.end());
  if (options.language != "python") return inner;
  ASSIGN_OR_RETURN(const Python python, AskPython(options.python));
  const std::string modules = options.modules.empty() ? ModulesFolder(folder) : options.modules;
  std::error_code error;
  const std::filesystem::path found = std::filesystem::canonical(modules, error);
  if (error) return NotFound("the Python package tidemill is not in {}", modules);
  Add(inner.program.arguments, {"--python", python.executable, "--modules", found.string()});
  inner.folders.insert(inner.folders.end(), python.folders.begin(), python.folders.end());
  inner.folders.push_back(found.string());
  return inner;
}

// Debian's /bin, /lib and so on are links into /usr.
void AddSystem(std::vector<std::string>& arguments) {
  Add(arguments, {"--ro-bind", "/usr", "/usr"});
  std::error_code error;
  for (const std::string name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    if (std::filesystem::is_symlink(name, error)) {
      Add(arguments, {"--symlink", std::filesystem::read_symlink(name, error).string(), name});
    } else {
      Add(arguments, {"--ro-bind-try", name, name});
    }
  }
  for (const std::string name : {"/etc/ld.so.cache", "/etc/alternatives"}) {
    Add(arguments, {"--ro-bind-try", name, name});
  }
}

// A folder that would show the whole disk, or hide what the sandbox has of its own.
bool IsOfAll(const std::string& folder) {
  static const std::set<std::string> kNever = {"/",    "/proc", "/dev",  "/tmp", "/etc",
                                               "/var", "/home", "/root", "/run", "/sys"};
  return kNever.contains(folder);
}

bool MayBeSeen(const std::string& folder) {
  return folder.starts_with('/') && !IsOfAll(folder) && folder != "/usr" &&
         !folder.starts_with("/usr/");
}

Program InBubblewrap(const std::string& bubblewrap, const Inner& inner) {
  Program program{.path = bubblewrap, .environment = inner.program.environment};
  Add(program.arguments, {"--unshare-all", "--die-with-parent", "--new-session", "--cap-drop",
                          "ALL", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"});
  AddSystem(program.arguments);
  for (const std::string& folder : inner.folders) {
    if (MayBeSeen(folder)) Add(program.arguments, {"--ro-bind", folder, folder});
  }
  Add(program.arguments, {"--chdir", "/", "--", inner.program.path});
  return program;
}

// Whether programs run in bubblewrap on this machine, and if not, why.
absl::StatusOr<Program> WorkingBubblewrap(const Inner& inner) {
  ASSIGN_OR_RETURN(const std::string bubblewrap, FindProgram("bwrap"));
  Program program = InBubblewrap(bubblewrap, inner);
  Program trial = program;
  trial.arguments.push_back("--trial");
  RETURN_IF_ERROR(OutputOf(trial).status());
  return program;
}

// The same program, which restricts itself to these folders.
Program InLandlock(const Inner& inner) {
  Program program = inner.program;
  Add(program.arguments, {"--inside", "landlock"});
  for (const std::string& folder : inner.folders) {
    if (folder.starts_with('/') && !IsOfAll(folder)) Add(program.arguments, {"--folder", folder});
  }
  return program;
}

}  // namespace

absl::StatusOr<Program> InnerProgram(const Options& options) {
  ASSIGN_OR_RETURN(Inner inner, PlainInner(options));
  if (options.sandbox == "none") {
    Add(inner.program.arguments, {"--inside", "plain"});
    return inner.program;
  }
  absl::Status works = FailedPrecondition("it is not asked for");
  if (options.sandbox != "landlock") {
    absl::StatusOr<Program> program = WorkingBubblewrap(inner);
    works = program.status();
    if (works.ok()) {
      Add(inner.program.arguments, {"--inside", "bwrap"});
      program->arguments.insert(program->arguments.end(), inner.program.arguments.begin(),
                                inner.program.arguments.end());
      return program;
    }
    if (options.sandbox == "bwrap") return Annotate(works, "the sandbox bwrap");
  }
  if (sandbox::HasLandlock()) return InLandlock(inner);
  return FailedPrecondition(
      "no sandbox works on this machine: bubblewrap does not ({}), and the kernel has no Landlock. "
      "Install bubblewrap and allow user namespaces, or have an administrator write "
      "cluster.plugins.sandbox: none, which lets users' code read everything that the services can "
      "read",
      std::string(works.message()));
}

}  // namespace tidemill::plugin::host
