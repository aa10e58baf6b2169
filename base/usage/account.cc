#include "base/usage/account.h"

#include <sys/resource.h>
#include <time.h>

#include <utility>

namespace tidemill::usage {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;

thread_local Scope* innermost = nullptr;

// Never destroyed: threads may use it during exit.
std::shared_ptr<Account>& WholeProcess() {
  static auto* const account = new std::shared_ptr<Account>();
  return *account;
}

int64_t Nanos(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return now.tv_sec * kNanosPerSecond + now.tv_nsec;
}

int64_t ThreadNanos() { return Nanos(CLOCK_THREAD_CPUTIME_ID); }

int64_t NanosOf(const timeval& time) { return time.tv_sec * kNanosPerSecond + time.tv_usec * 1000; }

}  // namespace

void Account::Add(const Amounts& amounts) {
  MutexLock lock(mutex_);
  total_ += amounts;
}

Amounts Account::Total() const {
  MutexLock lock(mutex_);
  return total_;
}

Amounts Account::Take() {
  MutexLock lock(mutex_);
  return std::exchange(total_, {});
}

Scope::Scope(std::shared_ptr<Account> account) : account_(std::move(account)), outer_(innermost) {
  if (outer_ != nullptr) outer_->Settle();
  since_ = outer_ != nullptr ? outer_->since_ : ThreadNanos();
  innermost = this;
}

Scope::~Scope() {
  Settle();
  if (outer_ != nullptr) outer_->since_ = since_;
  innermost = outer_;
}

void Scope::Settle() {
  const int64_t now = ThreadNanos();
  const int64_t before = std::exchange(since_, now);
  if (account_ == nullptr || WholeProcess() != nullptr) return;
  account_->Add({.service_nanos = now - before});
}

std::shared_ptr<Account> Current() {
  return innermost != nullptr ? innermost->account_ : WholeProcess();
}

void Add(const Amounts& amounts) {
  if (const auto account = Current()) account->Add(amounts);
}

void SettleCurrent() {
  if (innermost != nullptr) innermost->Settle();
}

std::shared_ptr<Account> MeasureWholeProcess() {
  if (WholeProcess() == nullptr) WholeProcess() = std::make_shared<Account>();
  return WholeProcess();
}

int64_t ProcessNanos() {
  rusage children = {};
  getrusage(RUSAGE_CHILDREN, &children);
  return Nanos(CLOCK_PROCESS_CPUTIME_ID) + NanosOf(children.ru_utime) + NanosOf(children.ru_stime);
}

}  // namespace tidemill::usage
