#include "preprocess/dispatcher/workers_table.h"

#include "db/sql_array.h"

namespace tidemill::preprocess {
namespace {

constexpr char kRegister[] = R"(
  INSERT INTO preprocess.workers AS known
    (name, incarnation, request_id, endpoint, boot_id, ring_socket, num_threads)
  VALUES ($1, 1, $2, $3, $4, $5, $6)
  ON CONFLICT (name) DO UPDATE
  SET incarnation = CASE WHEN known.request_id = excluded.request_id AND known.request_id <> ''
                              AND NOT known.lost
                         THEN known.incarnation ELSE known.incarnation + 1 END,
      request_id = excluded.request_id, endpoint = excluded.endpoint,
      boot_id = excluded.boot_id, ring_socket = excluded.ring_socket,
      num_threads = excluded.num_threads, draining = false, lost = false
  RETURNING worker_id, incarnation)";

constexpr char kDrain[] = R"(
  UPDATE preprocess.workers SET draining = true WHERE worker_id = $1)";

constexpr char kForget[] = R"(
  DELETE FROM preprocess.workers WHERE lost AND worker_id = ANY ($1::bigint[]))";

constexpr char kSelectWorkers[] = R"(
  SELECT worker_id, incarnation, name, endpoint, boot_id, ring_socket, num_threads, draining, lost
  FROM preprocess.workers ORDER BY worker_id)";

}  // namespace

Incarnation WorkersTable::Register(const v1::RegisterWorkerRequest& request) {
  const pqxx::result rows = work_.exec_params(
      kRegister, request.name(), request.command().request_id(), request.endpoint(),
      request.boot_id(), request.ring_socket(), request.num_threads());
  return {.member_id = rows.at(0)[0].as<int64_t>(), .number = rows.at(0)[1].as<int64_t>()};
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
    worker.draining = row["draining"].as<bool>();
    worker.lost = row["lost"].as<bool>();
  }
  return workers;
}

}  // namespace tidemill::preprocess
