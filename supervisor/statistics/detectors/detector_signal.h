// What a streaming detector says after each value.
//
// Detectors watch one number per sample, most often 1 where the active model erred and 0 where it
// did not, and keep next to nothing of it. Each is a pure function of its config and the values
// since it began, so cutting the stream into batches changes nothing. Values are finite. After
// kDrift the detector that has to begin anew does so with the next value. A new model begins a new
// detector.
//
// All are Thread-compatible. Their states can be sealed (sealed_state.h).
#pragma once

#include <cstdint>

namespace tidemill::supervisor::statistics {

enum class DetectorSignal : uint8_t { kStable, kWarning, kDrift };

}  // namespace tidemill::supervisor::statistics
