// The words that mean that a field is missing.
#pragma once

#include <string>
#include <vector>

namespace tidemill {

// Returns the words that labels and expressions take for a missing value where the pipeline names
// no others. The empty text is one. Case does not count.
inline std::vector<std::string> DefaultMissingWords() { return {"", "NA", "N/A", "NaN", "null"}; }

}  // namespace tidemill
