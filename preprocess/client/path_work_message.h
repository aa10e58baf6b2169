// Converts what is measured and predicted about a path to and from its messages.
#pragma once

#include "loader/path/path_work.h"
#include "loader/path/predicted_gains.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"
#include "tidemill/rpc/v1/training_result.pb.h"

namespace tidemill::preprocess {

rpc::v1::SharedWork ToMessage(const loader::SharedWork& shared);
loader::SharedWork FromMessage(const rpc::v1::SharedWork& message);
rpc::v1::PathWork ToMessage(const loader::PathWork& work);
loader::PathWork FromMessage(const rpc::v1::PathWork& message);
rpc::v1::PredictedGain ToMessage(const loader::PredictedGain& gain);

}  // namespace tidemill::preprocess
