#include "engine/backends/testing/slurm_cluster.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

#include "base/check.h"
#include "base/whole_io.h"

namespace tidemill::testing {

namespace {

// What this machine lacks.
std::string& Lack() {
  static std::string lack;
  return lack;
}

}  // namespace

SlurmCluster* SlurmCluster::OfThisProgram() {
  static const std::unique_ptr<SlurmCluster> cluster = []() -> std::unique_ptr<SlurmCluster> {
    int ends[2];
    TIDEMILL_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    const Descriptor theirs(ends[1]);
    std::unique_ptr<SlurmCluster> made(new SlurmCluster(Descriptor(ends[0])));
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_adddup2(&streams, theirs.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&streams, theirs.number(), STDOUT_FILENO);
    const char* words[] = {"/usr/bin/python3", SLURM_CLUSTER, nullptr};
    pid_t process = 0;
    const int error =
        posix_spawn(&process, words[0], &streams, nullptr, const_cast<char**>(words), environ);
    posix_spawn_file_actions_destroy(&streams);
    if (error != 0) return nullptr;
    return made;
  }();
  TIDEMILL_CHECK(cluster != nullptr);
  static const std::string answer = cluster->ReadLine();
  TIDEMILL_CHECK(!answer.empty());  // Else it has failed, and said why.
  if (!answer.starts_with('/')) {
    Lack() = answer;
    return nullptr;
  }
  setenv("SLURM_CONF", answer.c_str(), /*overwrite=*/1);
  return cluster.get();
}

void SlurmCluster::Do(const std::string& order) {
  TIDEMILL_CHECK(WriteWhole(link_.number(), order + "\n"));
  TIDEMILL_CHECK(ReadLine() == "done");
}

std::string SlurmCluster::ReadLine() {
  std::string line;
  char next = 0;
  while (read(link_.number(), &next, 1) == 1 && next != '\n') line.push_back(next);
  return line;
}

void SkipWithoutSlurm() { GTEST_SKIP() << Lack(); }

}  // namespace tidemill::testing
