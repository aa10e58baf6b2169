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

// The most bytes of code, and the most of a pickle.
inline constexpr uint64_t kMostCodeBytes = uint64_t{64} << 20;

// A record of the archive.
struct ScriptRecord {
  // Without the folder that all records are in: "code/__torch__.py".
  std::string name = {};
  // Unpacked.
  uint64_t size = 0;
};

// The bytes of a record by its index; std::nullopt: they are not at hand, and are not checked.
using ReadScriptRecord = std::function<absl::StatusOr<std::optional<std::string>>(size_t index)>;

// INVALID_ARGUMENT, with the record and the line, when the file holds what is not arithmetic: see
// code_check.h and pickle_check.h. Also for records that TorchScript does not write, and for two of
// one name. Other codes are those of `read`.
absl::Status CheckScript(const std::vector<ScriptRecord>& records, const ReadScriptRecord& read);

}  // namespace tidemill::models
