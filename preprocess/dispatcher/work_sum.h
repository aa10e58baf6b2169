// Adding up what workers did for a job.
#pragma once

#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

// Ops are added by place; of other ops than before, the ones there were stay.
void Add(const rpc::v1::PathWork& more, rpc::v1::PathWork& total);

}  // namespace tidemill::preprocess
