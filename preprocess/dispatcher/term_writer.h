// Writes what the dispatcher decides: on one thread, and only while its term lasts.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "db/database.h"
#include "preprocess/dispatcher/issue_table.h"
#include "preprocess/dispatcher/metrics.h"

namespace tidemill::preprocess {

// Thread-safe. The destructor finishes what was submitted.
class TermWriter {
 public:
  // Both must outlive it.
  TermWriter(db::Database& database, DispatcherMetrics& metrics)
      : database_(database), metrics_(metrics), thread_("dispatcher-writer", 1) {}

  // Begins the next term, and runs `body` in the same transaction. To be called once, before
  // anything is written.
  absl::Status BeginTerm(const std::function<absl::Status(pqxx::work&)>& body);

  // Runs `body` on the thread that writes, and returns at once.
  void Submit(std::function<void()> body) { thread_.Submit(std::move(body)); }
  // Runs `body` on the thread that writes and returns what it returns.
  absl::Status Run(const std::function<absl::Status()>& body);

  // A transaction of this term. UNAVAILABLE when that is over.
  absl::Status Transact(const std::function<absl::Status(pqxx::work&)>& body);
  // Writes the changes of a round in one transaction.
  absl::Status Write(const IssueChanges& changes, bool has_leases);

 private:
  db::Database& database_;
  DispatcherMetrics& metrics_;
  std::atomic<int64_t> term_ = 0;
  // Of one thread, on which everything is written: what it does to rows and then to memory is seen
  // by the next write as done or not done. Last: it ends before what it works on.
  WorkerPool thread_;
};

}  // namespace tidemill::preprocess
