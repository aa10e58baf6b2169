// The rows of workers. It holds SQL only; see migrations/0001_jobs.sql.
#pragma once

#include <string>
#include <vector>

#include "preprocess/dispatcher/workers.h"
#include <pqxx/pqxx>

namespace tidemill::preprocess {

// The methods work in an open transaction. They throw pqxx exceptions, which db::Database::Transact
// catches.
class WorkersTable {
 public:
  explicit WorkersTable(pqxx::work& work) : work_(work) {}

  // Makes the worker's next incarnation, under its permanent name or under a free one that begins
  // with its host. When the request is repeated, returns the incarnation that it made, unless that
  // was lost.
  KnownWorker Register(const v1::RegisterWorkerRequest& request);

  // Returns false when the worker is unknown.
  bool Drain(int64_t worker_id);

  // Removes the rows of lost workers. The row of a worker that has registered again stays.
  void Forget(const std::vector<int64_t>& worker_ids);

  std::vector<KnownWorker> List();

 private:
  std::string NameOf(const v1::RegisterWorkerRequest& request);

  pqxx::work& work_;
};

}  // namespace tidemill::preprocess
