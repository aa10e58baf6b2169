// The members that the specs of all ops share. A spec is a struct that the config descriptor reads,
// with
//   static constexpr bool kIsRandom;
//   std::unique_ptr<Op> Build(OpBuilder& builder) const;
// Build() binds the spec to columns. It reports problems to the builder, and declares the op's
// outputs even then, so that later ops are checked against them. The returned op is used only when
// there were no problems. graph_op.h says what else a spec may define.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/named_files.h"
#include "transform/engine/op.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// The content of the column `target` when an op makes it.
enum class TargetMade {
  kOther,         // In unknown units.
  kLabel,         // The label in its own units.
  kStandardized,  // The previous content, standardised by `standardize`; see target_scale.h.
};

// The fields of a record that an op reads: columns of CSV, fields of a JSON object.
struct ReadFields {
  std::string_view key = {};            // The key of the spec that lists them.
  std::vector<std::string> names = {};  // Without columns that rules choose.
};

// How columns of an op are made without it.
struct ByHand {
  std::string text;   // Sentences.
  std::string table;  // CSV.
};

// Why an op cannot take the text of a field.
struct BadField {
  std::string_view problem;  // The words that follow the text in a sentence: "is not a number".
  std::string hint;          // The text to write in the spec or in the file instead.
};

}  // namespace tidemill::transform
