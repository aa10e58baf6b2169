// The part of a pipeline's `training` section for a training that is a program of the user: a
// function in a Python file, which takes batches and returns a model. It runs as plug-ins do.
//
//   training:
//     type: program
//     run: train.py:main
//     requirements: [torch>=2]
//     with: {rate: 0.1}
//     epochs: 3
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "config/config.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::models {

// Tidemill trains the network of the pipeline, or a program trains whatever it likes.
enum class TrainingType { kNetwork, kProgram };

// The kind of the plug-in that a program is.
inline constexpr char kProgramKind[] = "program";

// All of it is absent in a training of a network.
struct ProgramSpec {
  std::optional<std::string> run = std::nullopt;
  std::optional<std::vector<std::string>> requirements = std::nullopt;
  std::optional<std::map<std::string, config::OpenValue>> with = std::nullopt;
  std::optional<std::vector<std::string>> files = std::nullopt;
  std::optional<Duration> timeout = std::nullopt;
  std::optional<config::ByteSize> memory = std::nullopt;
  // Stored with the pipeline; see plugin::PluginUse.
  std::optional<std::string> program = std::nullopt;
  std::optional<std::vector<std::string>> contents = std::nullopt;
  std::optional<std::string> declared = std::nullopt;
  // The versions with which it declared that, no part of the pipeline.
  std::string runs_with = {};

  void Fields(auto&& field) {
    field("run", run,
          "With `type: program`: the Python file, below the pipeline's folder, and the function in "
          "it that trains.",
          {.example = "train.py:main"});
    field("requirements", requirements,
          "With `type: program`: packages that the program imports, with their versions. The "
          "Python that runs it must have them.",
          {.example = "[torch>=2, lightgbm]", .max_items = 100});
    field("with", with, "With `type: program`: settings of the function, which are its parameters.",
          {.example = "{rate: 0.1}"});
    field("files", files,
          "With `type: program`: data files that it reads, below the pipeline's folder. They are "
          "sent and stored with the pipeline.",
          {.example = "[prices.csv]", .max_items = plugin::kMaxDataFiles});
    field("timeout", timeout,
          "With `type: program`: the longest time in which it neither takes a batch nor reports. "
          "By default 10m.",
          {.min = 0.1, .max = 604'800});
    field("memory", memory,
          "With `type: program`: the most memory that its process may have. By default 4GiB.",
          {.min = 64 << 20, .max = 0x1p40});
    field("program", program,
          "The content of the program's file, in base64, which is stored with the pipeline.");
    field("contents", contents,
          "The contents of its data files, in base64, which are stored with the pipeline.");
    field("declared", declared,
          "The program's declaration at submission, which is stored with the pipeline.");
  }

  // Notes what is wrong with a program of a training of this type.
  void Check(TrainingType type, config::Problems& problems) const;

  // Returns the plug-in, with defaults.
  plugin::PluginUse Use() const;
  // Takes over what a submission has added to the plug-in.
  void Keep(plugin::PluginUse taken);

  // "train.py:main 1.2 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)"; empty without a program.
  std::string RunsWith() const { return runs_with.empty() ? run.value_or("") : runs_with; }

  friend bool operator==(const ProgramSpec& a, const ProgramSpec& b) {
    const auto parts = [](const ProgramSpec& of) {
      return std::tie(of.run, of.requirements, of.with, of.files, of.timeout, of.memory, of.program,
                      of.contents, of.declared);
    };
    return parts(a) == parts(b);
  }
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::TrainingType> {
  static constexpr std::pair<tidemill::models::TrainingType, std::string_view> kNames[] = {
      {tidemill::models::TrainingType::kNetwork, "network"},
      {tidemill::models::TrainingType::kProgram, "program"}};
};
