// Checks what a member says about itself.
#pragma once

#include "base/status.h"
#include "tidemill/supervisor/v1/pool.pb.h"

namespace tidemill::supervisor {

// INVALID_ARGUMENT for a member without a kind, a host, an endpoint or slots, for names that a
// table of members cannot show, and for more slots or labels than a machine can have.
absl::Status CheckRegistration(const v1::RegisterMemberRequest& request);

}  // namespace tidemill::supervisor
