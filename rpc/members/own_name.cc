#include "rpc/members/own_name.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace tidemill::rpc {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string OwnHost() {
  const std::string array = Variable("SLURM_ARRAY_JOB_ID");
  if (!array.empty()) return "slurm-" + array + "_" + Variable("SLURM_ARRAY_TASK_ID");
  const std::string job = Variable("SLURM_JOB_ID");
  if (!job.empty()) return "slurm-" + job;
  return HostName();
}

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof(name) - 1) == 0 && name[0] != '\0' ? name : "host";
}

int OwnProcessors() {
  const int given = std::atoi(Variable(kProcessorsVariable).c_str());
  return given > 0 ? given : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string StartedAs() { return Variable(kMemberVariable); }

}  // namespace tidemill::rpc
