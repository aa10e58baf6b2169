// Converts loader::PathWork to and from its message.
#pragma once

#include "loader/path_work.h"
#include "tidemill/preprocess/v1/preprocess.pb.h"

namespace tidemill::preprocess {

rpc::v1::PathWork ToMessage(const loader::PathWork& work);
loader::PathWork FromMessage(const rpc::v1::PathWork& message);

}  // namespace tidemill::preprocess
