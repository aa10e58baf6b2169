#include "cli/doctor/machine.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include "base/files.h"
#include "base/paths/shell_word.h"
#include "base/process/program_folder.h"
#include "base/time.h"
#include "base/version.h"
#include "storage/spec/dataset_path.h"

namespace tidemill::cli {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;
// Below the first a stack soon stops, below the second it is time to act.
constexpr int64_t kTooLittle = kGiB;
// Without so much a stack does not even start, however small the disk is.
constexpr int64_t kLeast = kGiB / 4;
constexpr int64_t kLittle = 5 * kGiB;
constexpr int64_t kDay = int64_t{86'400} * 1'000'000;
constexpr int64_t kRenewal = 30 * kDay;
constexpr int64_t kClockTolerance = 1'000'000;

constexpr const char* kTorchPrograms[] = {"tidemill-train", "tidemill-evaluate"};

// The first kilobytes of a command's output; empty when the command cannot be run.
std::string OutputOf(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return text;
  char buffer[4096];
  for (size_t count = 0; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    text.append(buffer, count);
  }
  pclose(pipe);
  return text;
}

constexpr const char* kBuildFix = "make build";

std::optional<Finding> ProblemOf(const std::string& program, bool tells_version) {
  if (access(program.c_str(), X_OK) != 0) {
    return Finding{"programs", Health::kFail,
                   fmt::format("{} cannot be run: {}", program, std::strerror(errno)), kBuildFix};
  }
  if (!tells_version) return std::nullopt;
  const std::string told = OutputOf(ShellWord(program) + " --version 2>/dev/null");
  if (told.find(kVersion) != std::string::npos) return std::nullopt;
  return Finding{"programs", Health::kFail,
                 fmt::format("{} is not of version {}", program, kVersion), kBuildFix};
}

Finding ExamineProcessors(const std::string& folder) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const char* threads = std::getenv("OMP_NUM_THREADS");
  if (threads != nullptr && std::atoi(threads) > static_cast<int>(cores)) {
    return {"processors", Health::kWarn,
            fmt::format("OMP_NUM_THREADS is {} on {} processors: trainings compete for processors",
                        threads, cores),
            "unset OMP_NUM_THREADS"};
  }
  if (!files::Exists("/dev/nvidia0")) {
    return {"processors", Health::kOk, fmt::format("{} processors, no GPU", cores), ""};
  }
  const std::string libraries =
      OutputOf("ldd " + ShellWord(files::Join(folder, kTorchPrograms[0])) + " 2>/dev/null");
  if (libraries.find("libtorch_cuda") == std::string::npos) {
    return {"processors", Health::kWarn,
            "there is a GPU, and this Tidemill was built with a libtorch without CUDA",
            "rm -rf .venv && tools/setup.sh && make build"};
  }
  return {"processors", Health::kOk, fmt::format("{} processors and a GPU", cores), ""};
}

Finding ExamineClock() {
  timex times{};
  if (adjtimex(&times) == TIME_ERROR && (times.status & STA_UNSYNC) != 0) {
    return {"clock", Health::kWarn, "nothing synchronises this machine's clock",
            "timedatectl set-ntp true"};
  }
  return {"clock", Health::kOk, "synchronised over the network", ""};
}

}  // namespace

Findings ExaminePrograms() {
  const auto folder = process::ProgramFolder();
  if (!folder.ok()) {
    return {{"programs", Health::kFail, std::string(folder.status().message()),
             "mount -t proc proc /proc"}};
  }
  Findings findings;
  for (const char* service : kServices) {
    if (auto problem = ProblemOf(files::Join(*folder, ProgramNameOf(service)), true)) {
      findings.push_back(*std::move(problem));
    }
  }
  for (const char* program : kTorchPrograms) {
    if (auto problem = ProblemOf(files::Join(*folder, program), false)) {
      findings.push_back(*std::move(problem));
    }
  }
  if (findings.empty()) {
    findings.push_back(
        {"programs", Health::kOk,
         fmt::format("{} programs of version {} in {}",
                     std::size(kServices) + std::size(kTorchPrograms), kVersion, *folder),
         ""});
  }
  return findings;
}

Findings ExamineMachine() {
  const auto folder = process::ProgramFolder();
  return {ExamineProcessors(folder.value_or("")), ExamineClock()};
}

Finding JudgeSpace(const std::string& folder, int64_t free_bytes, int64_t total_bytes) {
  const double free = static_cast<double>(free_bytes) / static_cast<double>(kGiB);
  const std::string room = free_bytes < kGiB
                               ? fmt::format("{} MiB free for {}", free_bytes >> 20, folder)
                               : fmt::format("{:.1f} GiB free for {}", free, folder);
  const std::string fix = fmt::format("df -h {0} && du -xh {0} | sort -h | tail", folder);
  if (free_bytes < std::max(kLeast, std::min(kTooLittle, total_bytes / 50))) {
    return {"disk", Health::kFail, room + ": free space before data is lost", fix};
  }
  if (free_bytes < std::min(kLittle, total_bytes / 10)) {
    return {"disk", Health::kWarn, room + ": soon too little", fix};
  }
  return {"disk", Health::kOk, room, ""};
}

Finding JudgeClock(const std::string& whose, int64_t difference_micros) {
  const double seconds = static_cast<double>(difference_micros) / 1e6;
  if (std::abs(difference_micros) <= kClockTolerance) {
    return {"clock", Health::kOk, fmt::format("{} and this machine agree", whose), ""};
  }
  return {"clock", Health::kFail,
          fmt::format("{} is {:.1f} s {} this machine", whose, std::abs(seconds),
                      seconds > 0 ? "ahead of" : "behind"),
          "timedatectl set-ntp true"};
}

Findings ExamineStateFolder(const std::string& folder) {
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0) {
    return {{"state folder", Health::kFail, fmt::format("{}: {}", folder, std::strerror(errno)),
             "tidemill up --state " + folder}};
  }
  if (info.st_uid != geteuid()) {
    return {{"state folder", Health::kFail,
             fmt::format("{} belongs to user {}, not to user {}", folder, info.st_uid, geteuid()),
             fmt::format("chown -R {} {}", geteuid(), folder)}};
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return {{"state folder", Health::kFail, folder + " can be written by other users",
             "chmod go-w " + folder}};
  }
  // Root may write whatever the mode is, and no user may write to a read-only disk: so try.
  const std::string probe = files::Join(folder, ".doctor");
  if (const absl::Status written = files::WriteAtomically(probe, ""); !written.ok()) {
    return {
        {"state folder", Health::kFail, std::string(written.message()), "chmod u+rwx " + folder}};
  }
  files::Remove(probe).IgnoreError();
  Findings findings = {{"state folder", Health::kOk, folder + " is this user's and writable", ""}};
  struct statvfs room {};
  if (statvfs(folder.c_str(), &room) == 0) {
    const auto block = static_cast<int64_t>(room.f_frsize);
    findings.push_back(JudgeSpace(folder, static_cast<int64_t>(room.f_bavail) * block,
                                  static_cast<int64_t>(room.f_blocks) * block));
  }
  return findings;
}

Findings ExamineDataRoots(const StackLayout& layout) {
  const auto text = files::Read(layout.DataRootsFile());
  if (!text.ok()) return {};
  Findings findings;
  size_t readable = 0;
  std::istringstream lines(*text);
  for (std::string folder; std::getline(lines, folder);) {
    std::error_code error;
    // An empty line allows nothing. Only storage has the credentials for a store.
    if (folder.empty() || storage::IsObjectPath(folder)) continue;
    if (!std::filesystem::is_directory(folder, error)) {
      findings.push_back({"data", Health::kWarn,
                          folder + " is not there; its datasets cannot be read",
                          fmt::format("sed -i '\\|^{}$|d' {}", folder, layout.DataRootsFile())});
    } else if (access(folder.c_str(), R_OK | X_OK) != 0) {
      findings.push_back(
          {"data", Health::kFail, folder + " cannot be read by this user", "chmod u+rx " + folder});
    } else {
      ++readable;
    }
  }
  if (findings.empty()) {
    findings.push_back(
        {"data", Health::kOk, fmt::format("{} data folders can be read", readable), ""});
  }
  return findings;
}

Findings ExamineTls(const rpc::TlsConfig& tls) {
  if (tls.empty()) return {};
  if (const auto texts = rpc::ReadTls(tls); !texts.ok()) {
    const bool open = absl::IsFailedPrecondition(texts.status());
    return {{"certificates", Health::kFail, std::string(texts.status().message()),
             open ? "chmod 600 " + tls.key : "deploy/certificates.sh FOLDER SERVICE..."}};
  }
  Findings findings;
  for (const std::string& file : {tls.certificate, tls.ca}) {
    if (file.empty()) continue;
    const auto expiry = rpc::ExpiryOf(file);
    if (!expiry.ok()) continue;
    const int64_t left = expiry->micros - Now().micros;
    const std::filesystem::path path(file);
    const std::string folder = path.parent_path().string();
    const std::string fix =
        file == tls.ca ? fmt::format("rm {0}/ca.*; deploy/certificates.sh {0} SERVICE...", folder)
                       : fmt::format("deploy/certificates.sh {} {}", folder, path.stem().string());
    const std::string when = fmt::format("{} {} on {}", file, left < 0 ? "expired" : "expires",
                                         FormatTimestamp(*expiry).substr(0, 10));
    findings.push_back({"certificates",
                        left < 0          ? Health::kFail
                        : left < kRenewal ? Health::kWarn
                                          : Health::kOk,
                        when, left < kRenewal ? fix : ""});
  }
  return findings;
}

}  // namespace tidemill::cli
