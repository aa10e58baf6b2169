// The section `engine` of the system configuration.
//
//   engine:
//     backend: {type: slurm, partition: cpu}
//     workers: {scale: auto, most: 16}
//     trainers: {most: 4, processors: 8, gpus: 1}
#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/config.h"
#include "config/numbers.h"
#include "engine/backend.h"
#include "engine/process_needs.h"

namespace tidemill::engine {

// Preprocessing workers, which the dispatcher starts.
struct WorkersConfig : ProcessNeeds {
  std::string scale = "auto";
  int least = 0;
  int most = 8;
  double cost = 0.05;
  Duration settle{20'000'000};

  void Fields(auto&& field) {
    field("scale", scale,
          "How many: a number, or `auto`, the fewest with which the trainings wait for no batch.");
    field("least", least, "The fewest, with `auto`.", {.min = 0, .max = 10'000});
    field("most", most, "The most, with `auto`.", {.min = 1, .max = 10'000});
    field("cost", cost,
          "What a second of a worker costs beside a second of a training that waits. A worker more "
          "is started only if the time that it saves is worth more.",
          {.min = 0, .max = 1e6});
    field("settle", settle,
          "Workers are ended only after fewer were wanted for so long. Each change is recorded.",
          {.min = 1, .max = 86'400});
    NeedFields(field);
  }
  void Check(config::Problems& problems) const {
    const auto number = config::ParseCount(scale);
    if (scale != "auto" && (!number.ok() || *number < 0 || *number > 10'000)) {
      problems.Add("scale", "is neither `auto` nor a number up to 10,000", "write `scale: 4`");
    }
    if (least > most) problems.Add("least", "is more than `most`", "write a smaller number");
  }

  // The fixed number; std::nullopt for `auto`.
  std::optional<int64_t> FixedScale() const {
    if (scale == "auto") return std::nullopt;
    return config::ParseCount(scale).value_or(0);
  }
};

// Trainer servers or evaluators, which the supervisor starts: each for one job at a time.
struct MembersConfig : ProcessNeeds {
  int least = 0;
  int most = 0;
  Duration idle{60'000'000};

  void Fields(auto&& field) {
    field("least", least, "The number that is kept when nothing runs.", {.min = 0, .max = 10'000});
    field("most", most, "The most. 0: none is started.", {.min = 0, .max = 10'000});
    field("idle", idle, "One that had no job for so long is ended.", {.min = 1, .max = 86'400});
    field("gpus", gpus, "GPUs of each process, of which the engine is asked.",
          {.min = 0, .max = 64});
    NeedFields(field);
  }
  void Check(config::Problems& problems) const {
    if (least > most) problems.Add("least", "is more than `most`", "write a smaller number");
  }
};

// In the state folder of a local stack: the configuration of processes on other hosts.
inline constexpr char kMembersConfig[] = "engine/members.yaml";

struct EngineConfig {
  BackendSpec backend;
  std::string stack = "tidemill";
  std::string host = {};
  WorkersConfig workers;
  MembersConfig trainers;
  MembersConfig evaluators;

  void Fields(auto&& field) {
    field("backend", backend, "What starts and ends processes.");
    field("stack", stack,
          "Tells the processes of this stack from those of others with the same engine: letters, "
          "digits and dashes.",
          {.min = 1, .max = 20});
    field(
        "host", host,
        "The name or address by which other hosts reach the services of `tidemill up`. Empty: the "
        "name of this host.");
    field("workers", workers, "Preprocessing workers.");
    field("trainers", trainers, "Trainer servers beside those that were started by hand.");
    field("evaluators", evaluators, "Evaluators beside those that were started by hand.");
  }
  void Check(config::Problems& problems) const {
    for (const char each : stack) {
      if (std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '-') continue;
      problems.Add("stack", "has other characters than letters, digits and dashes",
                   "write `stack: recommender`");
      return;
    }
  }
};

// Returns the command that starts `program` as a member of a group: it listens wherever it can, and
// uses as many processors as it needs. `config` is its configuration, unless `needs` names one.
std::vector<std::string> CommandOf(const std::string& program, const ProcessNeeds& needs,
                                   const std::string& config);

// Returns the configuration of the processes that a service starts: that of processes on other
// hosts if its stack has one, else `config_name`, the service's own.
std::string ConfigOfMembers(const std::string& config_name, const std::string& state_folder,
                            bool has_network);

// Whether the configuration has the section. Without it nothing is started or ended.
bool HasEngine(const std::string& config_text);

}  // namespace tidemill::engine
