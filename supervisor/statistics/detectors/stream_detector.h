// Any of the detectors, as a pipeline names it: `{type: adwin, delta: 0.002}`.
#pragma once

#include <variant>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "supervisor/statistics/detectors/adwin.h"
#include "supervisor/statistics/detectors/ddm.h"
#include "supervisor/statistics/detectors/detector_signal.h"
#include "supervisor/statistics/detectors/eddm.h"
#include "supervisor/statistics/detectors/page_hinkley.h"

namespace tidemill::supervisor::statistics {

// To add a detector, write one line here, one in StreamDetector, and one file beside this one.
using DetectorSpec = std::variant<AdwinConfig, DdmConfig, EddmConfig, PageHinkleyConfig>;

// Whether a detector takes only mistakes, 0 or 1, and no other numbers.
bool CountsMistakes(const DetectorSpec& spec);

// Thread-compatible.
class StreamDetector {
 public:
  explicit StreamDetector(const DetectorSpec& spec);

  // Takes the next value: 1 when the model erred and 0 otherwise. ADWIN and Page-Hinkley take any
  // finite number. EDDM takes 0.5 and more as an error.
  DetectorSignal Update(double value);

  nlohmann::json Seal() const;
  // Continues from a sealed state of a detector with the same spec. DATA_LOSS for any other state;
  // the detector is unchanged then.
  absl::Status Restore(const nlohmann::json& sealed);

 private:
  DetectorSpec spec_;
  std::variant<Adwin, Ddm, Eddm, PageHinkley> detector_;
};

}  // namespace tidemill::supervisor::statistics
