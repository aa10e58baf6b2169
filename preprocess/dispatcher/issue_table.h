// How far lanes are issued: the one write that everything the dispatcher decides goes through.
#pragma once

#include <cstdint>
#include <vector>

#include "preprocess/dispatcher/lane.h"
#include <pqxx/pqxx>

namespace tidemill::preprocess {

// What one transaction writes.
struct IssueChanges {
  struct OfLane {
    int64_t job_id = 0;
    int32_t lane = 0;
    LaneChanges changes;
  };
  std::vector<OfLane> lanes;
  std::vector<Incarnation> lost_workers;

  bool empty() const { return lanes.empty() && lost_workers.empty(); }
};

// Functions of a transaction that is open; they throw pqxx exceptions, which end at
// db::Database::Transact.
class IssueTable {
 public:
  explicit IssueTable(pqxx::work& work) : work_(work) {}

  // Begins the next term and returns it, once everybody who writes in the last one has ended.
  int64_t BeginTerm();

  // UNAVAILABLE once there is a later term; none begins before this transaction ends.
  absl::Status CheckTerm(int64_t term);

  // At most four statements, however many lanes and splits there are.
  void Write(const IssueChanges& changes);

 private:
  void WriteLanes(const IssueChanges& changes);
  void DeleteSplits(const IssueChanges& changes);
  void WriteSplits(const IssueChanges& changes);

  pqxx::work& work_;
};

}  // namespace tidemill::preprocess
