// Opens jobs with data from other services.
#pragma once

#include <memory>

#include "base/status.h"
#include "prepared/host_store.h"
#include "preprocess/worker/worker.h"
#include "rpc/channel.h"

namespace tidemill::preprocess {

// Reads training sets from the selector and samples from storage. Both peers must have the role of
// a service.
// `prepared` is where prepared samples are kept; nullptr: nowhere.
Worker::JobOpener MakeJobOpener(const rpc::Peer& selector, const rpc::Peer& storage,
                                std::shared_ptr<const prepared::HostStore> prepared = nullptr);

}  // namespace tidemill::preprocess
