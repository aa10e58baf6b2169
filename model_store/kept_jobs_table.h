// The rows of kept jobs. It holds SQL only; see migrations/0004_kept_jobs.sql.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/id.h"
#include "tidemill/model_store/v1/model_store.pb.h"
#include <pqxx/pqxx>

namespace tidemill::model_store {

// The methods work in an open transaction. They throw pqxx exceptions, which db::Database::Transact
// catches.
class KeptJobsTable {
 public:
  explicit KeptJobsTable(pqxx::work& work) : work_(work) {}

  // Until the transaction ends, no other one changes what names the files of the run. To be called
  // after db::CheckFence().
  void LockFiles(RunId run);

  std::optional<v1::GetKeptJobResponse> Find(RunId run, int64_t trigger, v1::JobKind kind);

  // Puts the files of a job in place of those that it has.
  void Replace(const v1::KeepJobRequest& request);

  // Deletes the jobs of the triggers before `first_kept`, except for what a graph has learned that
  // a kept model of the run has, too.
  void Retire(RunId run, int64_t first_kept);

  void DeleteRun(RunId run);

  // The digests of the files that kept models of a run name, and those that kept jobs name.
  struct Named {
    std::set<std::string> by_models;
    std::set<std::string> by_jobs;

    bool contains(const std::string& digest) const {
      return by_models.contains(digest) || by_jobs.contains(digest);
    }
  };
  Named FindNamed(RunId run);
  // The same of all runs that have a model or a job.
  std::map<int64_t, Named> FindAllNamed();

 private:
  pqxx::work& work_;
};

}  // namespace tidemill::model_store
