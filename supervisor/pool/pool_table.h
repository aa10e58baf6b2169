// The rows of supervisor.members, placements and used_shares. SQL only; see
// migrations/0007_pool.sql.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "rpc/members/members.h"
#include "supervisor/pool/placement.h"
#include <pqxx/pqxx>

namespace tidemill::supervisor {

// The methods work in an open transaction. They throw pqxx exceptions, which db::Database::Transact
// catches.
class PoolTable {
 public:
  explicit PoolTable(pqxx::work& work) : work_(work) {}

  // Makes the member's next incarnation and returns it. When the request is repeated, returns the
  // incarnation that it made, unless that was lost.
  PoolMember Register(const v1::RegisterMemberRequest& request);
  // Returns those of the runs that are not there.
  std::vector<int64_t> DeletedRuns(std::span<const int64_t> runs);
  void SetDraining(int64_t member_id, bool draining);
  void SetLost(const std::vector<rpc::Incarnation>& lost);
  // Removes the rows of lost members. The row of a member that has registered again stays.
  void Forget(const std::vector<int64_t>& member_ids);
  std::vector<PoolMember> Members();

  // Returns the id of a new placement that waits.
  int64_t Insert(const SlotRequest& request, Timestamp asked_at);
  void Give(const Placement& placement, const std::string& member_name);
  void End(int64_t placement_id, Timestamp at, const std::string& reason);
  // Ends those of runs that are not RUNNING.
  void EndOfEndedRuns(Timestamp at);
  // Returns those that wait or run.
  std::vector<Placement> Open();

  // Returns the placements of a run, in the order in which they asked; the last `most` of them.
  std::vector<v1::Placement> OfRun(RunId run, int most);

  void SetUsed(PipelineId pipeline, double seconds);
  std::map<int64_t, double> Used();

 private:
  // Returns the row of a new member, under a name that is free.
  pqxx::row InsertMember(const v1::RegisterMemberRequest& request, const std::string& offer);

  pqxx::work& work_;
};

}  // namespace tidemill::supervisor
