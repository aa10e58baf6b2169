// stack: several columns of numbers as one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/config_types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

struct StackSpec {
  static constexpr std::string_view kType = "stack";
  static constexpr std::string_view kDoc =
      "Puts the numbers of several columns side by side into one float32 column. A column alone "
      "keeps its shape; several become one flat row. A number too large for float32 makes a bad "
      "sample.";
  config::NameList columns = {.all = true, .names = {}};
  std::string into = "input";
  bool autocache = false;

  void Fields(auto&& field) {
    field("columns", columns,
          "`all` columns of numbers in the order they were made, targets left out, or a list.");
    field("into", into, "Name of the column to make; the model takes `input`.");
    field("autocache", autocache, kAutocacheDoc);
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const StackSpec&, const StackSpec&) = default;
};

}  // namespace tidemill::transform
