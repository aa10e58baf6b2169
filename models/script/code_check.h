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

// INVALID_ARGUMENT, with the file and the line of the first operator, function or attribute that is
// not one of those that a script may use (allowed_operators.h) nor one of the script's own. Also
// for a method that would run when the file is read (`__setstate__`).
//
// An attribute of the script's own may have the name of an operator that is not allowed, and a text
// does not say which of the two is meant: a compiled graph does (graph_check.h).
absl::Status CheckCode(const std::vector<CodeFile>& files);

}  // namespace tidemill::models
