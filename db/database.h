// PostgreSQL: connections, transactions, bulk rows. The only place where libpqxx exceptions are
// caught.
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
  // Connects once to prove that the database is there; retries for `patience`. UNAVAILABLE if not.
  static absl::StatusOr<std::unique_ptr<Database>> Connect(
      const std::string& connection_string,
      std::chrono::milliseconds patience = std::chrono::seconds{10});

  // Runs `body` in one transaction and commits when it returns OK; a serialisation failure, a
  // deadlock or a connection lost before the commit is tried again (so `body` may run more than
  // once). A connection lost while committing is not tried again: UNAVAILABLE, and it may have
  // been committed. Exceptions become statuses as db/sql_status.h says: lost connection ->
  // UNAVAILABLE, unique violation -> ALREADY_EXISTS, foreign key -> FAILED_PRECONDITION, full disk
  // -> RESOURCE_EXHAUSTED, anything else -> INTERNAL.
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
