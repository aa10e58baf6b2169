// The stages of a run that are jobs of members, as MemberJob.stage of pool.proto names them.
#pragma once

namespace tidemill::supervisor {

inline constexpr char kFitStage[] = "fit";
inline constexpr char kTrainStage[] = "train";
inline constexpr char kEvaluateStage[] = "evaluate";

}  // namespace tidemill::supervisor
