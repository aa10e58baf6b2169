// What the specs of all ops share. A spec is a struct that the config descriptor reads, with
//   static constexpr bool kIsRandom;
//   std::unique_ptr<Op> Build(OpBuilder& builder) const;
// Build() binds it to columns. It reports what is wrong to the builder, and declares the op's
// outputs even then, so that the ops after it are checked against them; the op it returns is used
// only when nobody complained. What else a spec may say is in GraphOp (transform/ops/graph_op.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "transform/engine/op.h"
#include "transform/engine/op_builder.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

inline constexpr std::string_view kAutocacheDoc =
    "A key of older specs. `true` is refused because what ops make is not kept between epochs.";

// What the column `target` is where an op makes it.
enum class TargetMade {
  kOther,         // In units that nobody knows.
  kLabel,         // The label in its own units.
  kStandardized,  // As `standardize` makes it of what it was, see target_scale.h.
};

// The fields of a CSV record that an op reads.
struct ReadFields {
  std::string_view key = {};                // Of the spec, which lists them.
  std::span<const std::string> names = {};  // Views of the spec.
};

// Why an op cannot take the text of a field.
struct BadField {
  std::string_view problem;  // What follows the text in a sentence: "is not a number".
  std::string hint;          // What to write in the spec, or into the file.
};

// The files that ops name, wherever their bytes are. Thread-compatible.
class NamedFiles {
 public:
  virtual ~NamedFiles() = default;

  // The bytes of a file; std::nullopt after a problem, which is noted at the op's own `key`. It is
  // one to have more than `most` bytes.
  virtual std::optional<std::string> Read(const std::string& name, size_t most,
                                          std::string_view key, config::Problems& problems) = 0;
};

}  // namespace tidemill::transform
