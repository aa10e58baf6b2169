#include "rpc/commands.h"

namespace tidemill::rpc {

absl::Status CheckNamesNoRun(const v1::Command& command) {
  if (command.run_id() == 0 && command.run_epoch() == 0) return absl::OkStatus();
  return InvalidArgument(
      "the command is on behalf of run {}, epoch {}, and only services conduct runs; leave "
      "command.run_id and command.run_epoch out",
      command.run_id(), command.run_epoch());
}

}  // namespace tidemill::rpc
