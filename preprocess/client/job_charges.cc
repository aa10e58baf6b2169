#include "preprocess/client/job_charges.h"

#include "rpc/usage/usage_message.h"

namespace tidemill::preprocess {

void JobCharges::Note(const rpc::v1::Usage& total) {
  if (account_ == nullptr) return;
  const usage::Amounts now = rpc::FromMessage(total);
  usage::Amounts more;
  {
    MutexLock lock(mutex_);
    if (noted_ && now.worker_nanos >= noted_->worker_nanos) more = usage::Less(now, *noted_);
    noted_ = now;
  }
  account_->Add(more);
}

}  // namespace tidemill::preprocess
