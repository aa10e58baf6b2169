// PostgreSQL connections, transactions and bulk rows. libpqxx's exceptions are caught only here.
//
//   RETURN_IF_ERROR(database.Transact([&](pqxx::work& work) -> absl::Status {
//     work.exec_params(kInsertDataset, name);
//     return absl::OkStatus();
//   }));
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include <pqxx/pqxx>

namespace tidemill::db {

// A pool of connections to one database. Thread-safe.
class Database {
 public:
  // Connects once to prove that the database is reachable. Retries for `patience`. UNAVAILABLE when
  // it fails.
  static absl::StatusOr<std::unique_ptr<Database>> Connect(
      const std::string& connection_string,
      std::chrono::milliseconds patience = std::chrono::seconds{10});

  // Runs `body` in one transaction, and commits when it returns OK. After a serialisation failure,
  // a deadlock, or a connection lost before the commit, it tries again, so `body` may run more than
  // once. After a connection lost while committing it does not: UNAVAILABLE, and the transaction
  // may have been committed. Exceptions become statuses as in db/sql_status.h: a lost connection is
  // UNAVAILABLE, a unique violation ALREADY_EXISTS, a foreign key FAILED_PRECONDITION, a full disk
  // RESOURCE_EXHAUSTED, and anything else INTERNAL.
  absl::Status Transact(const std::function<absl::Status(pqxx::work&)>& body);

  const std::string& connection_string() const { return connection_string_; }

 private:
  explicit Database(std::string connection_string);
  // UNAVAILABLE when there is no idle connection and none can be made.
  absl::StatusOr<std::unique_ptr<pqxx::connection>> Take() ABSL_LOCKS_EXCLUDED(mutex_);
  void Give(std::unique_ptr<pqxx::connection> connection) ABSL_LOCKS_EXCLUDED(mutex_);
  void DropIdle() ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string connection_string_;
  Mutex mutex_;
  std::vector<std::unique_ptr<pqxx::connection>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::db
