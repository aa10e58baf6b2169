// The signal of a streaming detector after each value.
//
// A detector watches one number per sample, usually 1 when the active model erred and 0 otherwise,
// and keeps almost nothing of it. It is a pure function of its config and of the values since it
// began, so cutting the stream into batches changes nothing. Values must be finite. After kDrift, a
// detector that has to begin again does so with the next value. A new model starts a new detector.
//
// All detectors are thread-compatible. Their states can be sealed (sealed_state.h).
#pragma once

#include <cstdint>

namespace tidemill::supervisor::statistics {

enum class DetectorSignal : uint8_t { kStable, kWarning, kDrift };

}  // namespace tidemill::supervisor::statistics
