// The rows of jobs. It holds SQL only; see migrations/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "preprocess/dispatcher/job.h"
#include <pqxx/pqxx>

namespace tidemill::preprocess {

// A job as its rows describe it.
struct StoredJob {
  JobFacts facts;
  std::vector<Lane> lanes;
  // What Get() returns, of a job that was just inserted and takes at most 64 KiB.
  std::optional<v1::GetJobResponse> answer = std::nullopt;
};

// The methods work in an open transaction. They throw pqxx exceptions, which db::Database::Transact
// catches.
class JobsTable {
 public:
  explicit JobsTable(pqxx::work& work) : work_(work) {}

  // Returns the new job. std::nullopt when there is a job with this name. `scope` is the scope of
  // the process that makes it.
  std::optional<StoredJob> Insert(const v1::CreateJobRequest& request,
                                  const std::optional<rpc::v1::JobClaims>& scope);

  // Returns the job with this name.
  std::optional<int64_t> Find(const std::string& name);

  // Returns how a job differs from the request: "spec", "lanes" ... Empty when it does not differ.
  std::string Difference(int64_t job_id, const v1::CreateJobRequest& request);

  // Returns the name, the spec, the fitted state, the samples and the scope.
  std::optional<v1::GetJobResponse> Get(int64_t job_id);

  // Returns one job, or all jobs, with their splits in flight.
  std::vector<StoredJob> Load(std::optional<int64_t> job_id);

  // Deletes the job, its lanes and its splits.
  void Delete(int64_t job_id);

  // The number of rows that Load() has read.
  int64_t num_rows() const { return num_rows_; }

 private:
  std::vector<Lane> LoadLanes(int64_t job_id, int64_t split_batches);
  pqxx::work& work_;
  int64_t num_rows_ = 0;
};

}  // namespace tidemill::preprocess
