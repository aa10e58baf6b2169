// A plug-in as a pipeline names it, whatever its kind.
//
//   trigger: {type: plugin, use: surprise.py:Surprise, with: {threshold: 0.2}}
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "base/time.h"
#include "config/config.h"

namespace tidemill::plugin {

enum class Language { kPython, kCpp };

// "python" or "c++".
std::string_view NameOf(Language language);

// The file and what is in it: a graph or a pipeline goes where the file is not.
struct PluginUse {
  // "surprise.py:Surprise": a file beside the pipeline, and the plug-in in it.
  std::string use;
  // What is in the file, in base64: what the pipeline is kept with. Empty until it was read.
  std::string program;
  std::map<std::string, config::OpenValue> with;
  Duration timeout = {60'000'000};
  config::ByteSize memory = {int64_t{1} << 30};
  // What the plug-in said of itself at submission, as JSON: see plugin/process/taken_plugin.h.
  std::string declared = {};
  // With which versions it said that. It is no part of the pipeline: a newer numpy makes no other
  // pipeline.
  std::string runs_with = {};

  void Fields(auto&& field) {
    field(
        "use", use,
        "The file, below the pipeline's folder, and the plug-in in it: a Python file, or a shared "
        "object of C++ or C.",
        config::Limits{.required = true, .example = "surprise.py:Surprise"});
    field("program", program, "What is in the file, in base64: what the pipeline is kept with.");
    field("with", with, "Settings of the plug-in; it says which it has.",
          config::Limits{.example = "{threshold: 0.2}"});
    field("timeout", timeout, "Longest time for one call of the plug-in.",
          config::Limits{.min = 0.1, .max = 86'400});
    field("memory", memory, "The most memory that its process may have.",
          config::Limits{.min = 64 << 20, .max = 0x1p40});
    field("declared", declared,
          "What the plug-in said of itself at submission: what the pipeline is kept with.");
  }
  // Notes a `use` that names no file and no plug-in in it.
  void Check(config::Problems& problems) const;

  // The parts of `use`.
  std::string file() const;
  std::string name() const;
  // By the file's ending.
  Language language() const;

  // Whether they are the same part of a pipeline.
  friend bool operator==(const PluginUse& a, const PluginUse& b) {
    const auto parts = [](const PluginUse& of) {
      return std::tie(of.use, of.program, of.with, of.timeout, of.memory, of.declared);
    };
    return parts(a) == parts(b);
  }
};

// The most that a plug-in's file may have.
inline constexpr size_t kMostFileBytes = size_t{3} << 20;

}  // namespace tidemill::plugin
