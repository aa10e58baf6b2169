// Opens jobs with data from other services.
#pragma once

#include <memory>

#include "base/status.h"
#include "preprocess/worker/worker.h"
#include "rpc/channel.h"

namespace tidemill::preprocess {

// Reads training sets from the selector and samples from storage. Both peers must have the role of
// a service.
Worker::JobOpener MakeJobOpener(const rpc::Peer& selector, const rpc::Peer& storage);

}  // namespace tidemill::preprocess
