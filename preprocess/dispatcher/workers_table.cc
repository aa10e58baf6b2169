#include "preprocess/dispatcher/workers_table.h"

#include <set>

#include "db/sql_array.h"

namespace tidemill::preprocess {
namespace {

// $1 name, $2 request, $3 endpoint, $4 boot id, $5 ring socket, $6 threads, $7 started as. A worker
// of a permanent name replaces the one before it.
constexpr char kRegister[] = R"(
  INSERT INTO preprocess.workers AS known
    (name, incarnation, request_id, endpoint, boot_id, ring_socket, num_threads, started_as)
  VALUES ($1, 1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (name) DO UPDATE
  SET incarnation = CASE WHEN known.request_id = excluded.request_id AND known.request_id <> ''
                              AND NOT known.lost
                         THEN known.incarnation ELSE known.incarnation + 1 END,
      request_id = excluded.request_id, endpoint = excluded.endpoint,
      boot_id = excluded.boot_id, ring_socket = excluded.ring_socket,
      num_threads = excluded.num_threads, started_as = excluded.started_as,
      draining = false, lost = false
  RETURNING worker_id, incarnation)";

// The same process again: its worker ($1, $2), or the answer to a repeated request.
constexpr char kFindName[] = R"(
  SELECT name FROM preprocess.workers
  WHERE worker_id = $1 AND incarnation = $2 OR request_id = $3 AND $3 <> '')";

// Names that are taken: by workers that live, and by lost ones that are not forgotten yet.
constexpr char kTakenNames[] = R"(
  SELECT name FROM preprocess.workers WHERE name = $1 OR starts_with(name, $1 || '-'))";

constexpr char kDrain[] = R"(
  UPDATE preprocess.workers SET draining = true WHERE worker_id = $1)";

constexpr char kForget[] = R"(
  DELETE FROM preprocess.workers WHERE lost AND worker_id = ANY ($1::bigint[]))";

constexpr char kSelectWorkers[] = R"(
  SELECT worker_id, incarnation, name, endpoint, boot_id, ring_socket, num_threads, started_as,
    draining, lost
  FROM preprocess.workers ORDER BY worker_id)";

}  // namespace

std::string WorkersTable::NameOf(const v1::RegisterWorkerRequest& request) {
  if (!request.name().empty()) return request.name();
  const v1::WorkerIncarnation& before = request.continues();
  const pqxx::result known = work_.exec_params(kFindName, before.worker_id(), before.incarnation(),
                                               request.command().request_id());
  if (!known.empty()) return known[0][0].as<std::string>();
  std::set<std::string> taken;
  for (const pqxx::row& row : work_.exec_params(kTakenNames, request.host())) {
    taken.insert(row[0].as<std::string>());
  }
  std::string name = request.host();
  for (int number = 2; taken.contains(name); ++number) {
    name = fmt::format("{}-{}", request.host(), number);
  }
  return name;
}

KnownWorker WorkersTable::Register(const v1::RegisterWorkerRequest& request) {
  const std::string name = NameOf(request);
  const pqxx::result rows = work_.exec_params(
      kRegister, name, request.command().request_id(), request.endpoint(), request.boot_id(),
      request.ring_socket(), request.num_threads(), request.started_as());
  KnownWorker worker{{.incarnation = {.member_id = rows.at(0)[0].as<int64_t>(),
                                      .number = rows.at(0)[1].as<int64_t>()},
                      .name = name,
                      .endpoint = request.endpoint()}};
  worker.boot_id = request.boot_id();
  worker.ring_socket = request.ring_socket();
  worker.num_threads = request.num_threads();
  worker.started_as = request.started_as();
  return worker;
}

bool WorkersTable::Drain(int64_t worker_id) {
  return work_.exec_params(kDrain, worker_id).affected_rows() == 1;
}

void WorkersTable::Forget(const std::vector<int64_t>& worker_ids) {
  if (worker_ids.empty()) return;
  db::SqlArray ids;
  for (const int64_t id : worker_ids) ids.Add(id);
  work_.exec_params(kForget, ids.text());
}

std::vector<KnownWorker> WorkersTable::List() {
  std::vector<KnownWorker> workers;
  for (const pqxx::row& row : work_.exec_params(kSelectWorkers)) {
    KnownWorker& worker = workers.emplace_back();
    worker.incarnation = {.member_id = row["worker_id"].as<int64_t>(),
                          .number = row["incarnation"].as<int64_t>()};
    worker.name = row["name"].as<std::string>();
    worker.endpoint = row["endpoint"].as<std::string>();
    worker.boot_id = row["boot_id"].as<std::string>();
    worker.ring_socket = row["ring_socket"].as<std::string>();
    worker.num_threads = row["num_threads"].as<int32_t>();
    worker.started_as = row["started_as"].as<std::string>();
    worker.draining = row["draining"].as<bool>();
    worker.lost = row["lost"].as<bool>();
  }
  return workers;
}

}  // namespace tidemill::preprocess
