// What is wrong with a stack, and the command that mends it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/stack/session.h"

namespace tidemill::cli {

enum class Health { kOk, kWarn, kFail };

struct Finding {
  std::string check;  // "programs", "storage", "disk of /var"
  Health health = Health::kOk;
  std::string message;
  // A command to type; empty where all is well.
  std::string fix;
};
using Findings = std::vector<Finding>;

// Looks at everything a stack needs; starts and changes nothing. A remote stack's services,
// certificates, token and database are looked at, not its machines. Takes seconds at most. With
// `service`, only whether that one answers.
Findings Examine(const StackAddress& address, const std::string& service = "");

// The parts of an examination, in the order of the report.
Findings ExaminePrograms();
Findings ExamineMachine();
// The state folder's path, as it would be used; what keeps it from being used is a finding.
Findings ExamineStateFolder(const std::string& folder);
Findings ExamineProcesses(const StackLayout& layout);
// `layout`: of a local stack, for fixes that name its processes.
Findings ExamineServices(const Session& session, const StackLayout* layout);
Finding ExamineService(const Session& session, const StackLayout* layout,
                       const std::string& service);
Findings ExamineDatasets(const Session& session);
Findings ExamineDatabase(const std::string& connection_string, const StackLayout* layout);
Findings ExamineDataRoots(const StackLayout& layout);
Findings ExamineTls(const rpc::TlsConfig& tls);

// Whether that much room is enough.
Finding JudgeSpace(const std::string& folder, int64_t free_bytes, int64_t total_bytes);
// How far two clocks are apart.
Finding JudgeClock(const std::string& whose, int64_t difference_micros);

// A process as /proc tells of it.
struct ProcessInfo {
  int id = 0;
  int parent = 0;
  char state = '?';       // 'T': stopped.
  std::string program;    // Path of the executable, with " (deleted)" when it was replaced.
  std::string arguments;  // Separated by spaces.
};
std::vector<ProcessInfo> AllProcesses();
// The process of a stack's service; std::nullopt when there is none.
std::optional<ProcessInfo> ProcessOf(const StackLayout& layout, const std::string& service);

}  // namespace tidemill::cli
