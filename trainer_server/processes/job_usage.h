// The resources that the jobs of a trigger folder have used, in all their attempts.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/usage/account.h"
#include "tidemill/rpc/v1/usage.pb.h"

namespace tidemill::trainer_server {

// Keeps the total in a file of the folder, so that it survives the server. An attempt counts when
// its process has ended, to the microsecond, however it has ended. While it runs, its own reports
// count, and the file lags them by at most kWriteInterval: so much of an attempt that dies with its
// server may be missing. A file that cannot be written costs what it would have kept, and
// no job. Thread-compatible.
class JobUsage {
 public:
  static constexpr std::chrono::seconds kWriteInterval{5};

  // `what` is a kind of job: "fit", "train".
  JobUsage(std::string folder, const std::string& what);

  // The account of the thread that runs an attempt; see process::Job::Wait().
  const std::shared_ptr<usage::Account>& account() const { return account_; }

  // Begins an attempt, which holds a device of that kind, if it names one.
  void Begin(std::optional<std::string> device = std::nullopt);
  // Takes what the process of the attempt says that it has used so far.
  void Report(const rpc::v1::Usage& so_far);
  // Ends the attempt. The account has the usage of its process.
  void End();

  // Returns the total now.
  rpc::v1::UsageTotal Total() const;

  // Reads the total from a folder; std::nullopt when there is none.
  static std::optional<rpc::v1::UsageTotal> Find(const std::string& folder,
                                                 const std::string& what);
  // Removes it.
  static void Forget(const std::string& folder, const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;

  void AddDevice(usage::Amounts& amounts) const;
  void Write();

  const std::string folder_;
  const std::string file_;
  const std::shared_ptr<usage::Account> account_ = std::make_shared<usage::Account>();
  std::string name_;
  usage::Amounts ended_;     // By attempts that have ended.
  usage::Amounts reported_;  // By the attempt that runs.
  std::optional<std::string> device_;
  Clock::time_point begun_;
  Clock::time_point written_;
};

}  // namespace tidemill::trainer_server
