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

// A new detector is one line here, one in StreamDetector, and one file beside this one.
using DetectorSpec = std::variant<AdwinConfig, DdmConfig, EddmConfig, PageHinkleyConfig>;

// Whether a detector takes mistakes, 0 or 1, and no other numbers.
bool CountsMistakes(const DetectorSpec& spec);

// Thread-compatible.
class StreamDetector {
 public:
  explicit StreamDetector(const DetectorSpec& spec);

  // The next value: 1 where the model erred and 0 where it did not, or, for ADWIN and Page-Hinkley,
  // any finite number. EDDM takes 0.5 and more for an error.
  DetectorSignal Update(double value);

  nlohmann::json Seal() const;
  // Goes on from a sealed state of a detector of the same spec. DATA_LOSS for any other, after
  // which it stands as it did before.
  absl::Status Restore(const nlohmann::json& sealed);

 private:
  DetectorSpec spec_;
  std::variant<Adwin, Ddm, Eddm, PageHinkley> detector_;
};

}  // namespace tidemill::supervisor::statistics
