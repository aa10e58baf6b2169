// The rows of workers. SQL only; see migrations/0001_jobs.sql.
#pragma once

#include <string>
#include <vector>

#include "preprocess/dispatcher/workers.h"
#include <pqxx/pqxx>

namespace tidemill::preprocess {

// Functions of a transaction that is open; they throw pqxx exceptions, which end at
// db::Database::Transact.
class WorkersTable {
 public:
  explicit WorkersTable(pqxx::work& work) : work_(work) {}

  // Makes the worker's next incarnation and returns it; the last one again for the request that
  // made it, unless it was lost.
  Incarnation Register(const v1::RegisterWorkerRequest& request);

  // Returns false for an unknown worker.
  bool Drain(int64_t worker_id);

  // Removes rows of lost workers; one that has registered meanwhile stays.
  void Forget(const std::vector<int64_t>& worker_ids);

  std::vector<WorkerFacts> List();

 private:
  pqxx::work& work_;
};

}  // namespace tidemill::preprocess
