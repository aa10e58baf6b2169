// Stores the issued batches of lanes. Every decision of the dispatcher is stored by this one write.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "preprocess/dispatcher/lane.h"
#include <pqxx/pqxx>

namespace tidemill::preprocess {

// The content of one transaction.
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

// The methods work in an open transaction. They throw pqxx exceptions, which db::Database::Transact
// catches.
class IssueTable {
 public:
  explicit IssueTable(pqxx::work& work) : work_(work) {}

  // Begins the next term and returns it, once every writer of the last term has ended.
  int64_t BeginTerm();

  // UNAVAILABLE when there is a later term. No term begins before this transaction ends.
  absl::Status CheckTerm(int64_t term);

  // Checks the term and writes, with one statement, whatever the number of lanes and splits. Writes
  // nothing when there is a later term: UNAVAILABLE.
  absl::Status Write(int64_t term, const IssueChanges& changes);

 private:
  pqxx::work& work_;
};

}  // namespace tidemill::preprocess
