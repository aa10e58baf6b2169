// A real PostgreSQL for tests: one temporary server per test program, one database per test.
//
//   TEST(Selector, KeepsWhatItSealed) {
//     db::testing::TestDatabase database;
//     auto connection = db::Database::Connect(database.connection_string());
#pragma once

#include <string>

#include "db/private_postgres.h"

namespace tidemill::db::testing {

// Returns the server of this test program, which is started on first use. It is stopped and its
// files are removed when the program ends, however it ends. Ends the program when there is no
// PostgreSQL.
PrivatePostgres& TestServer();

// Returns the folder of the cluster that servers of tests are copies of, for other programs that
// start one: they take it from TIDEMILL_CLUSTER_TEMPLATES. It outlives the tests.
std::string ClusterTemplates();

// An empty database for one test. The destructor drops it with all its sessions. Thread-compatible.
class TestDatabase {
 public:
  TestDatabase();
  ~TestDatabase();
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  const std::string& connection_string() const { return connection_string_; }

  // Ends every session from outside, as a restart of the server does.
  void EndSessions();

 private:
  const std::string name_;
  const std::string connection_string_;
};

}  // namespace tidemill::db::testing
