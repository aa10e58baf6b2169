// Checks the code of a TorchScript by its text, before anything of it is compiled or run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill::models {

struct CodeFile {
  // "code/__torch__.py".
  std::string name = {};
  std::string text = {};
};

// INVALID_ARGUMENT, with the file and the line, for the first operator, function or attribute that
// is neither allowed (allowed_operators.h) nor defined in the script. Also for a method that would
// run when the file is read (`__setstate__`).
//
// An attribute of the script may have the name of a forbidden operator. The text does not tell the
// two apart; the compiled graph does (graph_check.h).
absl::Status CheckCode(const std::vector<CodeFile>& files);

}  // namespace tidemill::models
