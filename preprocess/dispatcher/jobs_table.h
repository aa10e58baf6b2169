// The rows of jobs. SQL only; see migrations/0001_jobs.sql.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "preprocess/dispatcher/job.h"
#include <pqxx/pqxx>

namespace tidemill::preprocess {

// A job as its rows tell.
struct StoredJob {
  JobFacts facts;
  std::vector<Lane> lanes;
};

// Functions of a transaction that is open; they throw pqxx exceptions, which end at
// db::Database::Transact.
class JobsTable {
 public:
  explicit JobsTable(pqxx::work& work) : work_(work) {}

  // Returns the new id; std::nullopt when there is a job of this name.
  std::optional<int64_t> Insert(const v1::CreateJobRequest& request);

  // The job of this name.
  std::optional<int64_t> Find(const std::string& name);

  // In what a job differs from the request: "spec", "lanes" ...; empty if in nothing.
  std::string Difference(int64_t job_id, const v1::CreateJobRequest& request);

  // Name, spec, fitted state and number of lanes.
  std::optional<v1::GetJobResponse> Get(int64_t job_id);

  // Of one job, or of all, with what is in flight.
  std::vector<StoredJob> Load(std::optional<int64_t> job_id);

  // The job, its lanes and splits.
  void Delete(int64_t job_id);

  // Rows that Load has read.
  int64_t num_rows() const { return num_rows_; }

 private:
  std::vector<Lane> LoadLanes(int64_t job_id, int64_t split_batches, v1::Guarantee guarantee);
  pqxx::work& work_;
  int64_t num_rows_ = 0;
};

}  // namespace tidemill::preprocess
