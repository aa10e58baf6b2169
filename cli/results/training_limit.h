// Describes what limited a training, and what a change is predicted to gain.
#pragma once

#include <string>

#include "google/protobuf/repeated_field.h"
#include "nlohmann/json_fwd.hpp"

#include "tidemill/rpc/v1/training_result.pb.h"

namespace tidemill::cli {

using PredictedGains = google::protobuf::RepeatedPtrField<rpc::v1::PredictedGain>;

// "op resize twice as fast 1.8x; twice the threads 1.4x"; empty without gains.
std::string TextOf(const PredictedGains& gains);

// [{"change", "factor"}], the largest factor first.
nlohmann::ordered_json GainsToJson(const PredictedGains& gains);

// "40 % of the time waiting for data; limit: op resize (64 % of preparing); predicted: op resize
// twice as fast 1.8x", and what was decided about prepared samples. Empty when the limit is not
// known.
std::string DescribeLimit(const rpc::v1::TrainingResult& result);

// "of the samples that several trainings prepare, it prepared 1,200 and took 3,600; 40 were
// prepared again". Empty when nothing was shared.
std::string DescribeShared(const rpc::v1::SharedWork& shared);

// {"made", "taken", "again", "failed", "wait_seconds"}; null when nothing was shared.
nlohmann::ordered_json SharedToJson(const rpc::v1::SharedWork& shared);

// Adds "verdict", "gains", "prepared" and, if something was shared, "shared". Adds nothing if the
// limit is not known.
void AddLimit(const rpc::v1::TrainingResult& result, nlohmann::ordered_json& json);

}  // namespace tidemill::cli
