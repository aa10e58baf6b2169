#include "supervisor/statistics/detectors/detector.h"

namespace tidemill::supervisor::statistics {

// In the order of the reference. A new detector is its line here.
#define TIDEMILL_DETECTORS(part) \
  part(AdwinConfig) part(DdmConfig) part(EddmConfig) part(PageHinkleyConfig)
TIDEMILL_PART_LIST(Detector, TIDEMILL_DETECTORS)

}  // namespace tidemill::supervisor::statistics

TIDEMILL_CONFIG_TYPE(tidemill::supervisor::statistics::DetectorSpec);
