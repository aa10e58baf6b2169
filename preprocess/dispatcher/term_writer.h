// Writes the decisions of the dispatcher on one thread, and only during its term.
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

// Thread-safe. The destructor completes the submitted work.
class TermWriter {
 public:
  // Both must outlive this object.
  TermWriter(db::Database& database, DispatcherMetrics& metrics)
      : database_(database), metrics_(metrics), thread_("dispatcher-writer", 1) {}

  // Begins the next term, and runs `body` in the same transaction. Call it once, before any write.
  absl::Status BeginTerm(const std::function<absl::Status(pqxx::work&)>& body);

  // Runs `body` on the writing thread, and returns at once.
  void Submit(std::function<void()> body) { thread_.Submit(std::move(body)); }
  // Runs `body` on the writing thread and returns its result.
  absl::Status Run(const std::function<absl::Status()>& body);

  // Runs a transaction of this term. UNAVAILABLE when the term is over.
  absl::Status Transact(const std::function<absl::Status(pqxx::work&)>& body);
  // Writes the changes of a round in one transaction.
  absl::Status Write(const IssueChanges& changes, bool has_leases);

 private:
  db::Database& database_;
  DispatcherMetrics& metrics_;
  std::atomic<int64_t> term_ = 0;
  // Everything is written on one thread. A write changes rows and then memory; the next write sees
  // both or neither. The last member: it ends before the members that it uses.
  WorkerPool thread_;
};

}  // namespace tidemill::preprocess
