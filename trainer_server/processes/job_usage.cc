#include "trainer_server/processes/job_usage.h"

#include <utility>

#include "base/files.h"
#include "base/logs/log.h"
#include "rpc/channel.h"
#include "rpc/usage/usage_message.h"
#include "trainer_server/folders/job_folder.h"

namespace tidemill::trainer_server {
namespace {

std::string FileOf(const std::string& what) { return fmt::format("{}_usage.json", what); }

}  // namespace

JobUsage::JobUsage(std::string folder, const std::string& what)
    : folder_(std::move(folder)), file_(FileOf(what)) {
  if (const auto kept = Find(folder_, what)) {
    name_ = kept->name();
    ended_ = rpc::FromMessage(kept->usage());
  } else {
    // Another folder of the same trigger has another total, which does not contain this one.
    name_ = fmt::format("{} {}", what, rpc::NewRequestId());
  }
}

std::optional<rpc::v1::UsageTotal> JobUsage::Find(const std::string& folder,
                                                  const std::string& what) {
  auto kept = ReadMessage<rpc::v1::UsageTotal>(folder, FileOf(what));
  if (kept.ok()) return *std::move(kept);
  if (!absl::IsNotFound(kept.status())) {
    log::Warn("what a job has used is not known",
              {{"folder", folder}, {"job", what}, {"error", std::string(kept.status().message())}});
  }
  return std::nullopt;
}

void JobUsage::Forget(const std::string& folder, const std::string& what) {
  files::Remove(files::Join(folder, FileOf(what))).IgnoreError();
}

void JobUsage::Begin(std::optional<std::string> device) {
  device_ = std::move(device);
  begun_ = written_ = Clock::now();
}

void JobUsage::Report(const rpc::v1::Usage& so_far) {
  reported_ = rpc::FromMessage(so_far);
  if (Clock::now() - written_ >= kWriteInterval) Write();
}

void JobUsage::End() {
  const usage::Amounts counted = account_->Take();
  // The account has the time of the process, unless that was lost with its zygote. The usage that
  // its calls returned is only in its last report.
  if (counted.job_nanos > 0) reported_.job_nanos = 0;
  AddDevice(ended_);
  ended_ += std::exchange(reported_, {});
  ended_ += counted;
  device_.reset();
  Write();
}

void JobUsage::AddDevice(usage::Amounts& amounts) const {
  if (!device_) return;
  amounts.device_nanos[*device_] += std::chrono::nanoseconds(Clock::now() - begun_).count();
}

rpc::v1::UsageTotal JobUsage::Total() const {
  usage::Amounts total = ended_;
  total += reported_;
  AddDevice(total);
  rpc::v1::UsageTotal message;
  message.set_name(name_);
  *message.mutable_usage() = rpc::ToMessage(total);
  return message;
}

void JobUsage::Write() {
  written_ = Clock::now();
  const absl::Status written = WriteMessage(folder_, file_, Total());
  if (!written.ok()) {
    log::Warn("what a job has used is not kept",
              {{"folder", folder_}, {"error", std::string(written.message())}});
  }
}

}  // namespace tidemill::trainer_server
