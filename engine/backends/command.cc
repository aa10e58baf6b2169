// A program of the user starts and ends processes, by whatever means: ssh, a cloud, another queue.
// Tidemill calls it with one of these, and reads JSON from its standard output:
//
//   PROGRAM list STACK GROUP            [{"number": 3, "phase": "running", "id": "i-07", ...}]
//   PROGRAM start STACK GROUP NUMBER    the standard input has what to start (below)
//   PROGRAM end STACK GROUP NUMBER
//
//   {"command": ["tidemill-preprocess-worker", ...], "variables": {"TIDEMILL_MEMBER": "workers/3"},
//    "processors": 4, "memory_bytes": 8589934592, "gpus": 0}
//
// `phase` is waiting, running or ending; `id`, `reason` and `host` may be left out. `start` of what
// was started, and `end` of what has ended, must do nothing. Code 0 says that it was done.
#include <utility>

#include "nlohmann/json.hpp"

#include "base/printable.h"
#include "config/config.h"
#include "engine/backend.h"
#include "engine/run_program.h"
#include "rpc/members/own_name.h"

namespace tidemill::engine {

struct Command {
  static constexpr std::string_view kType = "command";
  static constexpr std::string_view kDoc =
      "A program of yours, which starts and ends processes wherever you like.";

  std::string program;
  Duration timeout{30'000'000};

  void Fields(auto&& field) {
    field("program", program, "The program: an absolute path, or a name that PATH has.",
          {.required = true, .example = "/opt/cluster/tidemill-engine"});
    field("timeout", timeout, "A call that takes longer is killed, and made again later.",
          {.min = 1, .max = 3600});
  }
};

namespace {

// Text of the user's program, as it may be shown.
std::string TextOf(const nlohmann::json& entry, const char* key) {
  constexpr size_t kMost = 200;
  const auto it = entry.find(key);
  if (it == entry.end() || !it->is_string()) return {};
  return Printable(WholeCharacters(it->get_ref<const std::string&>(), kMost));
}

absl::StatusOr<Started> StartedOf(const nlohmann::json& entry) {
  if (!entry.is_object() || !entry.contains("number") || !entry["number"].is_number_integer()) {
    return Unavailable("an entry has no whole number `number`: {}", Quoted(entry.dump()));
  }
  Started started{.number = entry["number"].get<int64_t>(),
                  .id = TextOf(entry, "id"),
                  .reason = TextOf(entry, "reason"),
                  .host = TextOf(entry, "host")};
  const std::string phase = TextOf(entry, "phase");
  if (phase == "running") {
    started.phase = Phase::kRunning;
  } else if (phase == "ending") {
    started.phase = Phase::kEnding;
  } else if (phase != "waiting") {
    return Unavailable("`phase` of {} is {}; write waiting, running or ending", started.number,
                       Quoted(phase));
  }
  return started;
}

class CommandEngine final : public Engine {
 public:
  CommandEngine(const Command& spec, std::string stack)
      : program_(spec.program), timeout_(spec.timeout.micros / 1000), stack_(std::move(stack)) {}

  absl::StatusOr<std::vector<Started>> List(const Group& group) override {
    ASSIGN_OR_RETURN(const std::string text, Call({"list", stack_, group.name}, ""));
    const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_array()) {
      return Unavailable("{} list: the output is not a JSON list: {}", program_, Quoted(text));
    }
    std::map<int64_t, Started> by_number;
    for (const nlohmann::json& entry : json) {
      const absl::StatusOr<Started> started = StartedOf(entry);
      if (!started.ok()) return Annotate(started.status(), program_ + " list");
      by_number[started->number] = *started;
    }
    std::vector<Started> all;
    for (auto& [number, started] : by_number) all.push_back(std::move(started));
    return all;
  }

  absl::Status Start(const Group& group, std::span<const int64_t> numbers) override {
    for (const int64_t number : numbers) {
      const nlohmann::json what = {{"command", group.command},
                                   {"variables", {{rpc::kMemberVariable, MemberOf(group, number)}}},
                                   {"processors", group.resources.processors},
                                   {"memory_bytes", group.resources.memory_bytes},
                                   {"gpus", group.resources.gpus}};
      RETURN_IF_ERROR(
          Call({"start", stack_, group.name, std::to_string(number)}, what.dump()).status());
    }
    return absl::OkStatus();
  }

  absl::Status End(const Group& group, const Started& process) override {
    return Call({"end", stack_, group.name, std::to_string(process.number)}, "").status();
  }

 private:
  absl::StatusOr<std::string> Call(std::vector<std::string> words, std::string input) const {
    words.insert(words.begin(), program_);
    return RunProgram(words, {.input = std::move(input), .timeout = timeout_});
  }

  const std::string program_;
  const std::chrono::milliseconds timeout_;
  const std::string stack_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> OpenEngine(const Command& spec, const Stack& stack) {
  return std::make_unique<CommandEngine>(spec, stack.name);
}

TIDEMILL_PART(Backend, BackendOf, Command)

}  // namespace tidemill::engine
