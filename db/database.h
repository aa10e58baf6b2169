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
  // once). Exceptions become statuses: lost connection -> UNAVAILABLE, unique violation ->
  // ALREADY_EXISTS, foreign key -> FAILED_PRECONDITION, anything else -> INTERNAL.
  absl::Status Transact(const std::function<absl::Status(pqxx::work&)>& body);

  const std::string& connection_string() const { return connection_string_; }

 private:
  explicit Database(std::string connection_string);
  std::unique_ptr<pqxx::connection> Take();
  void Give(std::unique_ptr<pqxx::connection> connection);

  const std::string connection_string_;
  Mutex mutex_;
  std::vector<std::unique_ptr<pqxx::connection>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::db
