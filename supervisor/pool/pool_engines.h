// The trainer servers and evaluators that an engine starts for the jobs that wait, and ends when
// they are idle.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/periodic_task.h"
#include "engine/engine_config.h"
#include "engine/group_keeper.h"
#include "rpc/service_main.h"
#include "supervisor/pool/member_demand.h"
#include "supervisor/pool/pool.h"

namespace tidemill::supervisor {

// Thread-safe.
class PoolEngines {
 public:
  // Begins at once. `pool` must outlive this object.
  static absl::StatusOr<std::unique_ptr<PoolEngines>> Start(const engine::EngineConfig& config,
                                                            const rpc::ServiceContext& context,
                                                            Pool& pool);

  std::vector<rpc::v1::EngineGroup> Describe() const;

 private:
  // One kind of members.
  struct Kept {
    v1::MemberKind kind = v1::MEMBER_KIND_UNSPECIFIED;
    std::unique_ptr<MemberDemand> demand;  // Belongs to the keeper's thread.
    std::unique_ptr<engine::GroupKeeper> keeper;
  };

  explicit PoolEngines(Pool& pool) : pool_(pool) {}
  void Keep(v1::MemberKind kind, const engine::MembersConfig& members,
            const engine::BackendSpec& backend, const engine::Stack& stack, engine::Group group);
  // Tells those that wait where the engine is.
  void TellWaiting() const;

  Pool& pool_;
  std::vector<Kept> kept_;
  std::unique_ptr<PeriodicTask> notes_;  // The last member: it uses all above.
};

// Returns why a member that an engine starts is not there yet: "slurm: 2 wait, Resources". Empty
// when the engine has nothing that waits and no error.
std::string NoteOf(const rpc::v1::EngineGroup& group);

}  // namespace tidemill::supervisor
