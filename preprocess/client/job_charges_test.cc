#include "preprocess/client/job_charges.h"

#include <memory>

#include "gtest/gtest.h"

#include "rpc/usage/usage_message.h"

namespace tidemill::preprocess {
namespace {

rpc::v1::Usage Used(int64_t worker_nanos) {
  return rpc::ToMessage({.worker_nanos = worker_nanos, .bytes_read = 2 * worker_nanos});
}

TEST(JobCharges, PayWhatComesAfterTheFirstTotal) {
  const auto account = std::make_shared<usage::Account>();
  const usage::Scope scope(account);
  JobCharges charges;
  charges.Note(Used(100));
  EXPECT_EQ(account->Total().worker_nanos, 0) << "an earlier consumer has paid it";
  charges.Note(Used(130));
  charges.Note(Used(130));
  charges.Note(Used(150));
  EXPECT_EQ(account->Total().worker_nanos, 50);
  EXPECT_EQ(account->Total().bytes_read, 100);
}

TEST(JobCharges, OutliveADispatcherThatForgets) {
  const auto account = std::make_shared<usage::Account>();
  const usage::Scope scope(account);
  JobCharges charges;
  charges.Note(Used(0));
  charges.Note(Used(100));
  charges.Note(Used(10));
  charges.Note(Used(15));
  EXPECT_EQ(account->Total().worker_nanos, 105);
}

}  // namespace
}  // namespace tidemill::preprocess
