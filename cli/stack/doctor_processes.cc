#include "cli/stack/doctor_processes.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/files.h"
#include "base/process/program_folder.h"
#include "cli/stack/stack_identity.h"
#include "rpc/access/tokens.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

std::optional<ProcessInfo> ReadProcess(int id) {
  const std::string folder = fmt::format("/proc/{}", id);
  const auto stat = files::Read(folder + "/stat");
  const auto words = files::Read(folder + "/cmdline");
  if (!stat.ok() || !words.ok()) return std::nullopt;
  ProcessInfo process{.id = id, .program = {}, .arguments = *words};
  // "42 (name) S 1 ...": the name may hold anything.
  const size_t end = stat->rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream rest(stat->substr(end + 1));
  rest >> process.state >> process.parent;
  std::replace(process.arguments.begin(), process.arguments.end(), '\0', ' ');
  std::error_code error;
  process.program = fs::read_symlink(folder + "/exe", error).string();
  return process;
}

bool Names(const ProcessInfo& process, const std::string& what) {
  return process.arguments.find(what + " ") != std::string::npos;
}

// Services of this state folder whose keeper is gone, and jobs whose service is.
std::set<int> Leftovers(const StackLayout& layout, std::optional<int> keeper) {
  std::set<int> ids;
  const std::string programs = process::ProgramFolder().value_or("") + "/tidemill-";
  for (const ProcessInfo& process : AllProcesses()) {
    const bool service = Names(process, "--config " + layout.ConfigFile());
    const bool job = process.program.starts_with(programs) && process.parent == 1 &&
                     process.arguments.find("--config") == std::string::npos;
    if ((service && (!keeper || process.parent != *keeper)) || job) {
      ids.insert(process.id);
    }
  }
  return ids;
}

Findings ExamineLeftovers(const StackLayout& layout, std::optional<int> keeper) {
  // A process whose parent was killed is killed as well, a moment later.
  constexpr timespec kMoment{0, 300'000'000};
  const std::set<int> before = Leftovers(layout, keeper);
  if (before.empty()) return {};
  nanosleep(&kMoment, nullptr);
  std::string ids;
  for (const int id : Leftovers(layout, keeper)) {
    if (before.contains(id)) ids += fmt::format(" {}", id);
  }
  if (ids.empty()) return {};
  return {{"processes", Health::kFail, "left over from a stack that is gone:" + ids, "kill" + ids}};
}

Findings ExamineStale(const StackLayout& layout) {
  if (const auto stray = StrayKeeperOf(layout)) {
    return {{"stack", Health::kFail,
             fmt::format("process {} keeps a stack whose state folder is gone", *stray),
             fmt::format("kill {}", *stray)}};
  }
  Findings findings;
  std::error_code error;
  if (fs::exists(layout.sockets_folder, error) && !fs::is_empty(layout.sockets_folder, error)) {
    findings.push_back({"sockets", Health::kWarn,
                        layout.sockets_folder + " holds sockets of a stack that is gone",
                        "rm -r " + layout.sockets_folder});
  }
  const auto text = files::Read(files::Join(layout.database_folder, "data/postmaster.pid"));
  if (!text.ok()) return findings;
  const auto process = ReadProcess(std::atoi(text->c_str()));
  const std::string again =
      fmt::format("tidemill up --state {0} && tidemill down --state {0}", layout.state_folder);
  if (process && Names(*process, "-D " + files::Join(layout.database_folder, "data"))) {
    findings.push_back({"database", Health::kWarn,
                        fmt::format("PostgreSQL (process {}) runs without a stack", process->id),
                        again});
  } else {
    findings.push_back(
        {"database", Health::kWarn, "PostgreSQL was killed and left its lock", again});
  }
  return findings;
}

Finding ExamineToken(const StackLayout& layout) {
  const auto tokens = rpc::Tokens::Read(layout.TokenFile());
  if (tokens.ok()) return {"token", Health::kOk, "known to this user only", ""};
  const bool open = absl::IsFailedPrecondition(tokens.status());
  return {"token", Health::kFail, std::string(tokens.status().message()),
          open ? "chmod 600 " + layout.TokenFile()
               : fmt::format("rm -f {1} && tidemill down --state {0}; tidemill up --state {0}",
                             layout.state_folder, layout.TokenFile())};
}

Findings ExamineBuild(const StackLayout& layout, int keeper) {
  for (const ProcessInfo& process : AllProcesses()) {
    if ((process.id == keeper || process.parent == keeper) &&
        process.program.ends_with(" (deleted)")) {
      return {{"stack", Health::kWarn, "its programs were built again after it was started",
               fmt::format("tidemill down --state {0} && tidemill up --state {0}",
                           layout.state_folder)}};
    }
  }
  return {};
}

}  // namespace

std::vector<ProcessInfo> AllProcesses() {
  std::vector<ProcessInfo> processes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (auto process = ReadProcess(std::atoi(name.c_str())))
      processes.push_back(*std::move(process));
  }
  return processes;
}

std::optional<ProcessInfo> ProcessOf(const StackLayout& layout, const std::string& service) {
  const std::optional<int> keeper = KeeperOf(layout);
  for (const ProcessInfo& process : AllProcesses()) {
    if (keeper && process.parent == *keeper && Names(process, "--config " + layout.ConfigFile()) &&
        fs::path(process.program).filename().string().starts_with(ProgramNameOf(service))) {
      return process;
    }
  }
  return std::nullopt;
}

Findings ExamineProcesses(const StackLayout& layout) {
  const std::optional<int> keeper = KeeperOf(layout);
  Findings findings;
  if (keeper) {
    findings.push_back({"stack", Health::kOk, fmt::format("runs, process {}", *keeper), ""});
    for (Finding& finding : ExamineBuild(layout, *keeper)) findings.push_back(std::move(finding));
    findings.push_back(ExamineToken(layout));
    if (const absl::Status owner = CheckOwner(layout.sockets_folder); !owner.ok()) {
      findings.push_back(
          {"sockets", Health::kFail, std::string(owner.message()),
           fmt::format("chown {0} {1} && chmod 700 {1}", geteuid(), layout.sockets_folder)});
    }
  } else {
    findings.push_back({"stack", Health::kWarn, "does not run in " + layout.state_folder,
                        "tidemill up --state " + layout.state_folder});
    for (Finding& finding : ExamineStale(layout)) findings.push_back(std::move(finding));
    if (const absl::Status own = CheckIdentity(layout); !own.ok()) {
      findings.push_back({"database", Health::kFail, std::string(own.message()),
                          "tidemill up --state FOLDER, with an unused folder"});
    }
  }
  for (Finding& finding : ExamineLeftovers(layout, keeper)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace tidemill::cli
