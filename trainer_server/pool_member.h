// A trainer server as a member of the supervisor's pool.
#pragma once

#include <memory>
#include <string>

#include "devices/devices.h"
#include "rpc/service_main.h"
#include "supervisor_client/membership.h"
#include "trainer_server/trainer_config.h"
#include "trainer_server/trainings.h"

namespace tidemill::trainer_server {

// The server's offer: slots for fits, one for each GPU and some on the processors for trainings,
// and its labels.
supervisor::v1::MemberOffer OfferOf(const TrainerConfig& config, const devices::Devices& devices);

// Registers the server, which others reach at `endpoint` unless the configuration says otherwise,
// and ends its jobs that have lost their slots. `folder` remembers who the server is. Returns
// nullptr when the configuration names no supervisor. `trainings` must outlive the membership.
absl::StatusOr<std::unique_ptr<supervisor::Membership>> JoinPool(
    const rpc::ServiceContext& context, const TrainerConfig& config, const std::string& folder,
    const devices::Devices& devices, const std::string& endpoint, Trainings& trainings);

}  // namespace tidemill::trainer_server
