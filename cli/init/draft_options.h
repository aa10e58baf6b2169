// The options of a user, which replace guesses.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/init/label_choice.h"
#include "cli/init/look/csv_look.h"

namespace tidemill::cli {

// Asks the user, and returns the answer; "" means the default.
using AskPerson = std::function<std::string(const std::string& question)>;

struct DraftOptions {
  std::string path = {};    // A file or a folder.
  std::string output = {};  // The pipeline's file. Relative paths begin at its folder.
  std::string name = {};    // Empty: derived from the path.
  CsvWishes csv = {};
  LabelWishes label = {};
  std::optional<std::string> time = {};
  std::string command = {};  // The command line, which is written into the file.
  AskPerson ask = nullptr;   // Empty: no terminal to ask at.
};

}  // namespace tidemill::cli
