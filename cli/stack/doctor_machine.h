// What a stack needs of the machine that it runs on.
#pragma once

#include <cstdint>
#include <string>

#include "cli/stack/finding.h"
#include "cli/stack/local_stack.h"
#include "rpc/tls.h"

namespace tidemill::cli {

// Whether all programs are there, and of one version.
Findings ExaminePrograms();
// Processors, GPUs and the clock.
Findings ExamineMachine();
// The state folder's path, as it would be used; what keeps it from being used is a finding.
Findings ExamineStateFolder(const std::string& folder);
// The folders that datasets may lie in.
Findings ExamineDataRoots(const StackLayout& layout);
// The files of certificates and keys.
Findings ExamineTls(const rpc::TlsConfig& tls);

// Whether that much room is enough.
Finding JudgeSpace(const std::string& folder, int64_t free_bytes, int64_t total_bytes);
// How far two clocks are apart, in microseconds.
Finding JudgeClock(const std::string& whose, int64_t difference_micros);

}  // namespace tidemill::cli
