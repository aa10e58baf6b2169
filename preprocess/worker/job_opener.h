// Opens jobs with data from other services.
#pragma once

#include <memory>

#include "base/status.h"
#include "loader/shared/sharing.h"
#include "prepared/host_store.h"
#include "preprocess/worker/worker.h"
#include "rpc/channel.h"

namespace tidemill::preprocess {

// Reads training sets from the selector and samples from storage. Both peers must have the role of
// a service. `prepared` is where prepared samples are kept; nullptr: nowhere. Jobs that ask for it
// share their rows as `sharing` says, except for its origin.
Worker::JobOpener MakeJobOpener(
    const rpc::Peer& selector, const rpc::Peer& storage,
    const std::shared_ptr<const prepared::HostStore>& prepared = nullptr,
    const loader::Sharing& sharing = {.bytes = 0});

}  // namespace tidemill::preprocess
