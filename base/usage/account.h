// Accounts, which pay for what threads do.
//
//   const auto account = std::make_shared<usage::Account>();
//   {
//     const usage::Scope scope(account);
//     ...                                // The time of this thread, and what its calls report.
//   }
//   Record(account->Total());
//
// Scopes nest: while an inner one is open, the thread's time is not the outer one's. Each
// nanosecond is therefore in one account at most. Time in no account belongs to no run.
#pragma once

#include <cstdint>
#include <memory>

#include "base/mutex.h"
#include "base/usage/amounts.h"

namespace tidemill::usage {

// Thread-safe.
class Account {
 public:
  void Add(const Amounts& amounts) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns what was added so far, without the scopes that are open.
  Amounts Total() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Does the same, and begins at zero again.
  Amounts Take() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable Mutex mutex_;
  Amounts total_ ABSL_GUARDED_BY(mutex_);
};

// Makes an account the current one of the calling thread for as long as this object lives. Belongs
// to the thread, and ends before the scopes around it. A null account is none.
class Scope {
 public:
  explicit Scope(std::shared_ptr<Account> account);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Adds the thread's time up to now to the account, for a look at its total.
  void Settle();

 private:
  friend std::shared_ptr<Account> Current();
  friend void SettleCurrent();

  const std::shared_ptr<Account> account_;
  Scope* const outer_;
  int64_t since_;
};

// Returns the account of the innermost scope of the calling thread; without one, that of the
// process; nullptr when it has none either.
std::shared_ptr<Account> Current();

// Adds to the current account, if there is one.
void Add(const Amounts& amounts);

// Settles the innermost scope of the calling thread, if it has one.
void SettleCurrent();

// Declares that the time of this process is measured as a whole, as that of a job or a worker.
// Scopes then measure no time of threads, and what is in no scope goes to the returned account. The
// first call makes it. Call it before the process has threads.
std::shared_ptr<Account> MeasureWholeProcess();

// Returns the time that this process and its children that have ended had on processors, in
// nanoseconds.
int64_t ProcessNanos();

}  // namespace tidemill::usage
