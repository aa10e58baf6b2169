#include "trainer_server/run_fences.h"

#include <charconv>

#include "base/files.h"
#include "base/logs/log.h"
#include "base/paths/summed_file.h"

namespace tidemill::trainer_server {

namespace {

constexpr size_t kMaxFenceBytes = 256;

}  // namespace

absl::Status RunFences::Check(const rpc::v1::Command& command) {
  const std::string folder = files::Join(runs_, std::to_string(command.run_id()));
  const std::string path = files::Join(folder, "fence");
  // Held while the file is written: two commands of one run come rarely, and in order.
  MutexLock lock(mutex_);
  const auto [it, is_new] = epochs_.try_emplace(command.run_id(), -1);
  int64_t& highest = it->second;
  if (is_new) {
    const auto text = files::ReadSummed(path, kMaxFenceBytes);
    if (text.ok()) {
      std::from_chars(text->data(), text->data() + text->size(), highest);
    } else if (!absl::IsNotFound(text.status())) {
      // As if there were none: this command writes it again.
      log::Warn("the fence of a run is damaged", {{"error", text.status().ToString()}});
    }
  }
  if (command.run_epoch() < highest) {
    return FailedPrecondition("run {} belongs to epoch {}; this command is of epoch {}",
                              command.run_id(), highest, command.run_epoch());
  }
  if (command.run_epoch() == highest) return absl::OkStatus();
  RETURN_IF_ERROR(files::CreateFolder(folder));
  RETURN_IF_ERROR(files::WriteSummed(path, std::to_string(command.run_epoch())));
  highest = command.run_epoch();
  return absl::OkStatus();
}

}  // namespace tidemill::trainer_server
