// Checks a TorchScript file: an archive with the code of its classes, pickles of its objects, and a
// record with numbers for each tensor.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace tidemill::models {

// The most bytes of code, and of a pickle.
inline constexpr uint64_t kMaxCodeBytes = uint64_t{64} << 20;

// A record of the archive.
struct ScriptRecord {
  // Without the folder that all records are in: "code/__torch__.py".
  std::string name = {};
  // Unpacked.
  uint64_t size = 0;
};

// The bytes of a record by its index; std::nullopt for bytes that are not available, which are not
// checked.
using ReadScriptRecord = std::function<absl::StatusOr<std::optional<std::string>>(size_t index)>;

// INVALID_ARGUMENT, with the record and the line, when the file contains more than arithmetic: see
// code_check.h and pickle_check.h. Also for records that TorchScript does not write, and for a
// duplicate name. Also returns the errors of `read`.
absl::Status CheckScript(const std::vector<ScriptRecord>& records, const ReadScriptRecord& read);

}  // namespace tidemill::models
