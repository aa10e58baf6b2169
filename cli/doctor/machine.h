// Checks the machine of a stack.
#pragma once

#include <cstdint>
#include <string>

#include "cli/stack/finding.h"
#include "cli/stack/local_stack.h"
#include "rpc/access/tls.h"

namespace tidemill::cli {

// Checks that all programs exist, with one version.
Findings ExaminePrograms();
// Checks the processors, the GPUs and the clock.
Findings ExamineMachine();
// Checks the path of the state folder. A finding says why the folder cannot be used.
Findings ExamineStateFolder(const std::string& folder);
// Checks the folders that datasets may be in.
Findings ExamineDataRoots(const StackLayout& layout);
// Checks the files of certificates and keys.
Findings ExamineTls(const rpc::TlsConfig& tls);

// Judges whether the free space is enough.
Finding JudgeSpace(const std::string& folder, int64_t free_bytes, int64_t total_bytes);
// Judges the difference between two clocks, in microseconds.
Finding JudgeClock(const std::string& whose, int64_t difference_micros);

}  // namespace tidemill::cli
