// Extracts the history of a run from its events: when they happened, and the loss curves.
#pragma once

#include <vector>

#include "supervisor/runs/runs_table.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// The most points of all loss curves of a response together, so that a run with thousands of
// triggers fits into a message.
inline constexpr int kMaxLossPoints = 100'000;

// Adds to the response's triggers when each fired and when its model was stored, and the loss
// curves. The curves are thinned evenly when all triggers together have more than
// `most_loss_points`. The last point of a curve always stays.
void AddHistory(const std::vector<EventRow>& events, v1::GetRunResponse& response,
                int most_loss_points = kMaxLossPoints);

// Adds the events themselves, without their loss curves.
void AddEvents(const std::vector<EventRow>& events, v1::GetRunResponse& response);

}  // namespace tidemill::supervisor
