// A Slurm cluster of three nodes for tests, made by tests/slurm/cluster.py.
#pragma once

#include <string>
#include <utility>

#include "base/descriptor.h"

namespace tidemill::testing {

// Thread-compatible.
class SlurmCluster {
 public:
  // Returns the cluster of this test program, which is started on first use and ends with the
  // program, however that ends. From then on sbatch and squeue address it. nullptr where there can
  // be none: SkipWithoutSlurm() then says what is missing.
  static SlurmCluster* OfThisProgram();

  // Obeys "stop controller", "start controller", "kill n2" or "start n2".
  void Do(const std::string& order);

 private:
  explicit SlurmCluster(Descriptor link) : link_(std::move(link)) {}

  // Returns a line of cluster.py, without its newline; empty when it has ended.
  std::string ReadLine();

  Descriptor link_;
};

// Skips the test whose SetUp() calls it.
void SkipWithoutSlurm();

}  // namespace tidemill::testing
