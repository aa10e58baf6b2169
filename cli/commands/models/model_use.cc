#include "cli/commands/models/model_use.h"

#include <cstdio>
#include <string>

#include "fmt/ranges.h"

#include "base/names.h"
#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/command_line/names.h"
#include "cli/command_line/with_session.h"
#include "cli/results/run_report.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "supervisor_client/model_change_json.h"
#include "supervisor_client/model_change_text.h"
#include "supervisor_client/model_use_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

using supervisor::ModelUseClient;
using supervisor::v1::ModelChange;

struct UseFlags {
  std::string model;
  std::string pipeline;
  bool pin = false;
  bool unpin = false;
  bool none = false;
  int64_t limit = 20;
};

UseFlags& FlagsOfUse() {
  static UseFlags flags;
  return flags;
}

// What later trainings do.
std::string Outlook(const ModelChange& change) {
  if (change.model_id() == 0) {
    return fmt::format("; the next model that is trained will answer for {}",
                       change.pipeline_name());
  }
  if (change.pinned()) {
    return fmt::format(
        "; later trainings do not take its place until `tidemill models use {} --unpin`",
        change.pipeline_name());
  }
  return "; later trainings take its place (--pin keeps them from it)";
}

int Tell(const GlobalFlags& flags, const ModelChange& change, const nlohmann::ordered_json& json) {
  if (flags.json) {
    fmt::print("{}\n", json.dump());
  } else if (change.model_id() == 0) {
    fmt::print("{} has no model in use{}\n", change.pipeline_name(), Outlook(change));
  } else {
    fmt::print("{} answers with {}{}\n", change.pipeline_name(), supervisor::ModelText(change),
               Outlook(change));
  }
  return kDone;
}

// The mistake in the flags, or an empty text.
std::string MistakeIn(const UseFlags& flags) {
  if (flags.pin + flags.unpin + flags.none > 1) {
    return "--pin, --unpin and --none exclude each other";
  }
  const bool is_pipeline =
      IsName(flags.model) && flags.model.find_first_not_of("0123456789") != std::string::npos;
  if ((flags.unpin || flags.none) && !is_pipeline) {
    return fmt::format("{} takes the name of a pipeline", flags.unpin ? "--unpin" : "--none");
  }
  if (!flags.pin && !flags.unpin && !flags.none && is_pipeline && flags.model != "latest") {
    return fmt::format(
        "'{0}' has one model in use already; name another, such as {0}/3, or pin it with --pin",
        flags.model);
  }
  return "";
}

absl::StatusOr<ModelChange> Change(const Session& session, const UseFlags& flags) {
  if (!flags.unpin && !flags.none) {
    ASSIGN_OR_RETURN(const NamedModel model, FindModel(session, flags.model));
    return session.Ask(&ModelUseClient::Use, model.id, flags.pin);
  }
  ASSIGN_OR_RETURN(const std::string pipeline, FindPipeline(session, flags.model));
  return session.Ask(
      &ModelUseClient::Release, pipeline,
      flags.unpin ? supervisor::v1::MODEL_RELEASE_PIN : supervisor::v1::MODEL_RELEASE_MODEL);
}

int Use(const GlobalFlags& global, const UseFlags& flags) {
  if (const std::string mistake = MistakeIn(flags); !mistake.empty()) return ReportUsage(mistake);
  return WithSession(global, [&](const Session& session) -> int {
    const auto change = Change(session, flags);
    if (!change.ok()) return Report(change.status());
    return Tell(global, *change, supervisor::ModelChangeToJson(*change));
  });
}

int RollBack(const GlobalFlags& global, const UseFlags& flags) {
  return WithSession(global, [&](const Session& session) -> int {
    const auto pipeline = FindPipeline(session, flags.pipeline);
    if (!pipeline.ok()) return Report(pipeline.status());
    const auto answer = session.Ask(&ModelUseClient::RollBack, *pipeline, flags.pin);
    if (!answer.ok()) return Report(answer.status());
    if (answer->passed_over_size() > 0 && !global.quiet) {
      PrintToStderr(fmt::format("passed over, because their weights are gone: model {}\n",
                                fmt::join(answer->passed_over(), ", ")));
    }
    auto json = supervisor::ModelChangeToJson(answer->change());
    json["passed_over"] = answer->passed_over();
    return Tell(global, answer->change(), json);
  });
}

std::string Listed(const supervisor::v1::ListModelChangesResponse& changes) {
  Table table({"CHANGE", "AT", "MODEL", "RUN", "TRIGGER", "PINNED", "WHY"});
  const auto number = [](int64_t value) { return value == 0 ? "-" : std::to_string(value); };
  for (const ModelChange& change : changes.changes()) {
    table.Add({std::to_string(change.number()),
               FormatTimestampShort({change.at().seconds() * 1'000'000}), number(change.model_id()),
               number(change.run_id()), number(change.trigger()), change.pinned() ? "yes" : "",
               Printable(supervisor::ChangeText(change))});
  }
  return table.ToString();
}

int ListChanges(const GlobalFlags& global, const UseFlags& flags) {
  return WithSession(global, [&](const Session& session) -> int {
    const auto pipeline = FindPipeline(session, flags.pipeline);
    if (!pipeline.ok()) return Report(pipeline.status());
    const auto changes = session.Ask(&ModelUseClient::ListOfPipeline, *pipeline, flags.limit);
    if (!changes.ok()) return Report(changes.status());
    if (global.json) {
      auto json = nlohmann::ordered_json::array();
      for (const ModelChange& change : changes->changes())
        json.push_back(supervisor::ModelChangeToJson(change));
      fmt::print("{}\n", json.dump());
      return kDone;
    }
    fmt::print("{}", Listed(*changes));
    if (changes->num_left_out() > 0 && !global.quiet) {
      PrintToStderr(fmt::format("{} more are left out; --limit lists more\n",
                                WithThousands(changes->num_left_out())));
    }
    return kDone;
  });
}

void AddPipeline(Command& command) {
  command.AddOption("pipeline", FlagsOfUse().pipeline, "A pipeline, by its name")
      .Required()
      .TypeName("PIPELINE");
}

}  // namespace

void AddModelUseCommands(Command& models) {
  UseFlags& flags = FlagsOfUse();
  Command& use = models.AddSubcommand(
      "use", "Let a model answer for its pipeline: `predict` and `models export` then use it");
  use.AddOption("model", flags.model,
                "A model: its number, RUN/TRIGGER or PIPELINE/TRIGGER; the name of a pipeline with "
                "--pin, --unpin or --none")
      .Required()
      .TypeName("MODEL");
  use.AddFlag("--pin", flags.pin, "Later trainings do not take its place");
  use.AddFlag("--unpin", flags.unpin, "Release the pin: later trainings take its place again");
  use.AddFlag("--none", flags.none, "Let no model answer until another is trained or chosen");
  SetAction(use, [](const GlobalFlags& global) { return Use(global, FlagsOfUse()); });
  use.AddExample("tidemill models use elec2/3");
  use.AddExample("tidemill models use 12/3 --pin");
  use.AddExample("tidemill models use elec2 --unpin");

  Command& back = models.AddSubcommand(
      "rollback", "Go back to the model that a pipeline had in use before; again to go further");
  AddPipeline(back);
  back.AddFlag("--pin", flags.pin, "Later trainings do not take its place");
  SetAction(back, [](const GlobalFlags& global) { return RollBack(global, FlagsOfUse()); });
  back.AddExample("tidemill models rollback elec2");

  Command& changes = models.AddSubcommand(
      "changes", "List which models a pipeline had in use, since when and why, the newest first");
  AddPipeline(changes);
  changes.AddOption("--limit", flags.limit, "The most changes to list (default: 20, at most 5,000)")
      .Between(1, 5'000);
  SetAction(changes, [](const GlobalFlags& global) { return ListChanges(global, FlagsOfUse()); });
  changes.AddExample("tidemill models changes elec2 --limit 100");
}

absl::Status AddUseOfModel(const Session& session, const model_store::v1::Model& model,
                           nlohmann::ordered_json& json) {
  ASSIGN_OR_RETURN(const auto run, FetchRun(session, model.run_id()));
  json["pipeline"] = run.run().pipeline_name();
  const bool is_in_use =
      run.has_model_in_use() && run.model_in_use().model_id() == model.model_id();
  json["in_use"] = is_in_use ? supervisor::ModelInUseToJson(run.model_in_use())
                             : nlohmann::ordered_json(nullptr);
  ASSIGN_OR_RETURN(const auto changes,
                   session.Ask(&ModelUseClient::ListOfPipeline, run.run().pipeline_name(), 0));
  json["changes"] = nlohmann::ordered_json::array();
  for (const ModelChange& change : changes.changes()) {
    if (change.model_id() != model.model_id() && change.other_model_id() != model.model_id()) {
      continue;
    }
    json["changes"].push_back(supervisor::ModelChangeToJson(change));
  }
  return absl::OkStatus();
}

}  // namespace tidemill::cli
