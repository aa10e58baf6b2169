#include "db/database.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/logs/log.h"
#include "db/sql_status.h"

namespace tidemill::db {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int kMaxAttempts = 10;
constexpr milliseconds kFirstPause{10};
constexpr milliseconds kLongestPause{500};
constexpr size_t kMaxIdle = 16;

// Throws what libpqxx throws.
std::unique_ptr<pqxx::connection> Open(const std::string& connection_string) {
  auto connection = std::make_unique<pqxx::connection>(connection_string);
  pqxx::nontransaction session(*connection);
  session.exec("SET client_min_messages = warning; SET TIME ZONE 'UTC'");
  return connection;
}

// The outcome of one attempt at a transaction.
struct Outcome {
  absl::Status status;
  bool try_again = false;
  bool connection_lost = false;
  // The status is in the words of PostgreSQL, not of the body.
  bool from_database = true;
};

Outcome FromSqlError(const pqxx::sql_error& error) {
  const std::string& state = error.sqlstate();
  return {.status = FromSqlState(state, error.what()),
          .try_again = IsConflict(state) || IsDisconnection(state),
          .connection_lost = IsDisconnection(state)};
}

// A server that dies may say anything, or nothing, before the connection breaks.
Outcome Broken(const std::exception& error) {
  return {
      .status = FromSqlState("08006", error.what()), .try_again = true, .connection_lost = true};
}

Outcome Attempt(pqxx::connection& connection,
                const std::function<absl::Status(pqxx::work&)>& body) {
  try {
    pqxx::work work(connection);
    if (const absl::Status status = body(work); !status.ok()) {
      return {.status = status, .from_database = false};
    }
    work.commit();
    return {.status = absl::OkStatus()};
  } catch (const pqxx::in_doubt_error& error) {
    // It may have been committed: only the caller knows whether to repeat it.
    return {.status = FromSqlState("08007", error.what()), .connection_lost = true};
  } catch (const pqxx::broken_connection& error) {
    return Broken(error);
  } catch (const pqxx::serialization_failure& error) {
    // This and the next come without their code.
    return {.status = FromSqlState("40001", error.what()), .try_again = true};
  } catch (const pqxx::deadlock_detected& error) {
    return {.status = FromSqlState("40P01", error.what()), .try_again = true};
  } catch (const pqxx::sql_error& error) {
    return connection.is_open() ? FromSqlError(error) : Broken(error);
  } catch (const std::exception& error) {
    if (!connection.is_open()) return Broken(error);
    return {.status = Internal("PostgreSQL: {}", error.what())};
  }
}

}  // namespace

Database::Database(std::string connection_string)
    : connection_string_(std::move(connection_string)) {}

absl::StatusOr<std::unique_ptr<Database>> Database::Connect(const std::string& connection_string,
                                                            milliseconds patience) {
  std::unique_ptr<Database> database(new Database(connection_string));
  const Clock::time_point end = Clock::now() + patience;
  for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    absl::StatusOr<std::unique_ptr<pqxx::connection>> connection = database->Take();
    if (connection.ok()) {
      database->Give(*std::move(connection));
      return database;
    }
    if (Clock::now() + pause > end) return std::move(connection).status();
    std::this_thread::sleep_for(pause);
  }
}

absl::Status Database::Transact(const std::function<absl::Status(pqxx::work&)>& body) {
  milliseconds pause = kFirstPause;
  for (int attempt = 1;; ++attempt) {
    Outcome outcome;
    if (auto connection = Take(); connection.ok()) {
      outcome = Attempt(**connection, body);
      if (outcome.connection_lost) {
        DropIdle();  // The others were most likely lost with it.
      } else {
        Give(*std::move(connection));
      }
    } else {
      outcome = {.status = std::move(connection).status(), .try_again = true};
    }
    if (!outcome.try_again || attempt == kMaxAttempts) {
      return outcome.status.ok() || !outcome.from_database ? outcome.status
                                                           : Concealed(outcome.status);
    }
    log::Debug("transaction is tried again", {{"error", outcome.status.ToString()}});
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

absl::StatusOr<std::unique_ptr<pqxx::connection>> Database::Take() {
  {
    MutexLock lock(mutex_);
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  try {
    return Open(connection_string_);
  } catch (const std::exception& error) {
    return FromSqlState("08001", error.what());
  }
}

void Database::Give(std::unique_ptr<pqxx::connection> connection) {
  MutexLock lock(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(connection));
}

void Database::DropIdle() {
  std::vector<std::unique_ptr<pqxx::connection>> dropped;
  MutexLock lock(mutex_);
  dropped.swap(idle_);
}

}  // namespace tidemill::db
