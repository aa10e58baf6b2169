// A plug-in as a pipeline names it, whatever its kind.
//
//   trigger: {type: plugin, use: surprise.py:Surprise, with: {threshold: 0.2}}
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/time.h"
#include "config/config.h"

namespace tidemill::plugin {

// The most that a plug-in's file may have.
inline constexpr size_t kMaxFileBytes = size_t{3} << 20;
// The most that one data file may have, and how many there may be.
inline constexpr size_t kMaxDataBytes = size_t{8} << 20;
inline constexpr size_t kMaxDataFiles = 16;

enum class Language { kPython, kCpp };

// "python" or "c++".
std::string_view NameOf(Language language);

// The name of the file and its content, because a graph or a pipeline is sent to places that do not
// have the file.
struct PluginUse {
  // "surprise.py:Surprise": a file beside the pipeline, and the plug-in in it.
  std::string use;
  // The content of the file, in base64. It is stored with the pipeline. Empty until the file is
  // read.
  std::string program;
  // Data files beside the pipeline, and what is in each of them, in base64.
  std::vector<std::string> files;
  std::vector<std::string> contents;
  std::map<std::string, config::OpenValue> with;
  Duration timeout = {60'000'000};
  config::ByteSize memory = {int64_t{1} << 30};
  // The plug-in's declaration at submission, as JSON; see plugin/process/taken_plugin.h.
  std::string declared = {};
  // The versions with which it declared that. They are not part of the pipeline: a newer numpy does
  // not make another pipeline.
  std::string runs_with = {};
  // What a kind asks of the process besides: packages that its Python must have; threads for
  // arithmetic; and room for the columns of answers. They are not part of the pipeline.
  std::vector<std::string> requirements = {};
  int num_threads = 1;
  int64_t answers_bytes = int64_t{64} << 20;

  void Fields(auto&& field) {
    field(
        "use", use,
        "The file, below the pipeline's folder, and the plug-in in it: a Python file, or a shared "
        "object of C++ or C.",
        config::Limits{.required = true, .example = "surprise.py:Surprise"});
    field("program", program,
          "The content of the file, in base64, which is stored with the pipeline.");
    field(
        "files", files,
        "Data files that the plug-in reads, below the pipeline's folder, at most 16. They are sent "
        "and stored with the pipeline; all files of a pipeline together have at most 8 MiB.",
        config::Limits{.example = "[holidays.csv]", .max_items = kMaxDataFiles});
    field("contents", contents,
          "The contents of these files, in base64, which are stored with the pipeline.");
    field("with", with, "Settings of the plug-in, which declares them.",
          config::Limits{.example = "{threshold: 0.2}"});
    field("timeout", timeout, "Longest time for one call of the plug-in.",
          config::Limits{.min = 0.1, .max = 86'400});
    field("memory", memory, "The most memory that its process may have.",
          config::Limits{.min = 64 << 20, .max = 0x1p40});
    field("declared", declared,
          "The plug-in's declaration at submission, which is stored with the pipeline.");
  }
  // Notes a `use` that does not name a file and a plug-in in it.
  void Check(config::Problems& problems) const;

  // The parts of `use`.
  std::string file() const;
  std::string name() const;
  // From the extension of the file.
  Language language() const;

  // The plug-in with its versions and its sandbox. Before the submission, only its name.
  std::string RunsWith() const { return runs_with.empty() ? use : runs_with; }

  // Whether two uses are the same in a pipeline.
  friend bool operator==(const PluginUse& a, const PluginUse& b) {
    const auto parts = [](const PluginUse& of) {
      return std::tie(of.use, of.program, of.files, of.contents, of.with, of.timeout, of.memory,
                      of.declared, of.requirements, of.num_threads, of.answers_bytes);
    };
    return parts(a) == parts(b);
  }
};

}  // namespace tidemill::plugin
