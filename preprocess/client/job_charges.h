// The costs of a dispatcher's job, which its consumer pays.
#pragma once

#include <memory>
#include <optional>

#include "base/mutex.h"
#include "base/usage/account.h"
#include "tidemill/rpc/v1/usage.pb.h"

namespace tidemill::preprocess {

// Puts what workers have used for a job on the account that was current when this object was made.
// The dispatcher tells totals; what the first one holds was used for an earlier consumer, which has
// paid. Thread-safe.
class JobCharges {
 public:
  JobCharges() = default;

  // Takes a total. A smaller one than before, of a dispatcher that has lost some, adds nothing.
  void Note(const rpc::v1::Usage& total) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const std::shared_ptr<usage::Account> account_ = usage::Current();
  Mutex mutex_;
  std::optional<usage::Amounts> noted_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::preprocess
