// Adds up the work of workers for a job.
#pragma once

#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// Adds ops by place. When the ops differ from earlier ones, the earlier ones stay.
void Add(const rpc::v1::PathWork& more, rpc::v1::PathWork& total);

}  // namespace tidemill::preprocess
