#include "cli/command_line/names.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/ranges.h"

#include "base/names.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"
#include "config/documents/problems.h"
#include "model_store/client/model_store_client.h"
#include "supervisor_client/model_change_text.h"
#include "supervisor_client/model_use_client.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

using model_store::ModelStoreClient;
using supervisor::ModelUseClient;
using supervisor::SupervisorClient;

constexpr std::string_view kLatest = "latest";
constexpr std::string_view kLatestOf = "latest:";
constexpr size_t kMaxNamed = 12;

std::optional<int64_t> NumberNamed(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return is_number ? std::optional(number) : std::nullopt;
}

// The number of a run, a trigger or a model that the text is. std::nullopt for any other text.
absl::StatusOr<std::optional<int64_t>> IdNamed(std::string_view text, std::string_view what) {
  const auto number = NumberNamed(text);
  if (number && *number == 0) {
    return NotFound("{0}s are numbered from 1: there is no {0} 0", what);
  }
  return number;
}

absl::StatusOr<std::vector<std::string>> PipelineNames(const Session& session) {
  ASSIGN_OR_RETURN(const auto listed, session.Ask(&SupervisorClient::ListPipelines, ""));
  std::vector<std::string> names;
  for (const supervisor::v1::Pipeline& pipeline : listed.pipelines()) {
    names.push_back(pipeline.name());
  }
  return names;
}

// Returns "; did you mean 'elec2'?", or the known names.
std::string Proposal(const std::string& name, const std::vector<std::string>& known) {
  if (known.empty()) return "; there are no pipelines yet: `tidemill run FILE` runs one";
  const std::string closest = config::DidYouMean(name, known);
  if (!closest.empty()) return "; " + closest;
  std::vector<std::string> shown(
      known.begin(),
      known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kMaxNamed)));
  const size_t more = known.size() - shown.size();
  return fmt::format("; there are {}{}", fmt::join(shown, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

// The possible meanings of a text where `what` ("run") is expected.
absl::Status NoName(const std::string& what, const std::string& text) {
  return InvalidArgument(
      "'{}' names no {}: write its number, latest, latest:PIPELINE or the name of a pipeline",
      OneLine(text), what);
}

// Why nothing was found for a pipeline: it is unknown, or it has no `what`.
absl::Status NothingOf(const Session& session, const std::string& what,
                       const std::string& pipeline) {
  ASSIGN_OR_RETURN(std::vector<std::string> known, PipelineNames(session));
  if (std::ranges::find(known, pipeline) != known.end()) {
    return NotFound("pipeline {} has no {}; `tidemill runs list --pipeline {}` shows its runs",
                    pipeline, what, pipeline);
  }
  const std::string proposal = Proposal(pipeline, known);
  known.emplace_back(kLatest);
  const std::string closest = config::DidYouMean(pipeline, known);
  return NotFound("there is no pipeline '{}'{}", pipeline,
                  closest.empty() ? proposal : "; " + closest);
}

// The name of a pipeline that the text contains; empty for `latest`.
absl::StatusOr<std::string> PipelineIn(const Session& session, const std::string& what,
                                       const std::string& text) {
  if (text == kLatest) {
    ASSIGN_OR_RETURN(const std::vector<std::string> known, PipelineNames(session));
    if (std::ranges::find(known, kLatest) == known.end()) return "";
    return FailedPrecondition(
        "'latest' can mean the newest {0} and the pipeline of that name; write latest:latest for "
        "the pipeline, or the number of the {0}",
        what);
  }
  std::string name = text.starts_with(kLatestOf) ? text.substr(kLatestOf.size()) : text;
  if (!IsName(name)) return NoName(what, text);
  return name;
}

absl::StatusOr<model_store::v1::Model> NewestModel(const Session& session) {
  model_store::v1::ListModelsRequest request;
  request.set_state(model_store::v1::MODEL_STATE_KEPT);
  request.set_order(model_store::v1::MODEL_ORDER_MODEL);
  request.set_descending(true);
  request.set_limit(1);
  ASSIGN_OR_RETURN(const auto listed, session.Ask(&ModelStoreClient::FindModels, request));
  if (listed.models_size() == 0) return NotFound("no model is kept");
  return listed.models(0);
}

absl::StatusOr<model_store::v1::Model> ModelOfTrigger(const Session& session,
                                                      const std::string& name) {
  ASSIGN_OR_RETURN(const RunTrigger place, FindTrigger(session, name));
  model_store::v1::ListModelsRequest request;
  request.set_run_id(place.run);
  request.set_trigger(*place.trigger);
  ASSIGN_OR_RETURN(const auto listed, session.Ask(&ModelStoreClient::FindModels, request));
  if (listed.models_size() > 0) return listed.models(0);
  return NotFound(
      "run {} has no model of trigger {}; `tidemill models list --run {}` lists those "
      "that it has",
      place.run, *place.trigger, place.run);
}

struct ModelPlace {
  int64_t model = 0, run = 0, trigger = 0;
  std::optional<supervisor::v1::ModelChange> in_use = std::nullopt;
};

absl::StatusOr<ModelPlace> PlaceOfModel(const Session& session, const std::string& name) {
  const auto place = [](const model_store::v1::Model& model) {
    return ModelPlace{model.model_id(), model.run_id(), model.trigger()};
  };
  if (name.find('/') != std::string::npos) {
    ASSIGN_OR_RETURN(const auto model, ModelOfTrigger(session, name));
    return place(model);
  }
  ASSIGN_OR_RETURN(const std::string pipeline, PipelineIn(session, "model", name));
  if (pipeline.empty()) {
    ASSIGN_OR_RETURN(const auto model, NewestModel(session));
    return place(model);
  }
  const auto in_use = session.Ask(&ModelUseClient::Get, pipeline, "");
  if (absl::IsNotFound(in_use.status())) {
    return NothingOf(session, "models that are kept", pipeline);
  }
  RETURN_IF_ERROR(in_use.status());
  return ModelPlace{in_use->model_id(), in_use->run_id(), in_use->trigger(), *in_use};
}

}  // namespace

absl::StatusOr<RunId> FindRun(const Session& session, const std::string& name) {
  ASSIGN_OR_RETURN(const auto number, IdNamed(name, "run"));
  if (number) return RunId{*number};
  ASSIGN_OR_RETURN(const std::string pipeline, PipelineIn(session, "run", name));
  supervisor::v1::ListRunsRequest newest;
  newest.set_pipeline_name(pipeline);
  newest.set_limit(1);
  ASSIGN_OR_RETURN(const auto listed, session.Ask(&SupervisorClient::FindRuns, newest));
  if (listed.runs_size() == 0 && pipeline.empty()) {
    return NotFound("there are no runs yet; `tidemill run FILE` starts one");
  }
  if (listed.runs_size() == 0) return NothingOf(session, "runs", pipeline);
  const supervisor::v1::Run& run = listed.runs(0);
  if (!session.quiet()) {
    PrintToStderr(fmt::format("{} is run {} of {}\n", name, run.run_id(), run.pipeline_name()));
  }
  return RunId{run.run_id()};
}

absl::StatusOr<std::vector<int64_t>> FindRuns(const Session& session,
                                              const std::vector<std::string>& names) {
  std::vector<int64_t> runs;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const RunId run, FindRun(session, name));
    runs.push_back(run.value);
  }
  return runs;
}

absl::StatusOr<RunTrigger> FindRunTrigger(const Session& session, const std::string& name) {
  const size_t slash = name.find('/');
  RunTrigger found;
  if (slash != std::string::npos) {
    ASSIGN_OR_RETURN(found.trigger, IdNamed(std::string_view(name).substr(slash + 1), "trigger"));
    if (!found.trigger) {
      return InvalidArgument("'{}' is neither RUN nor RUN/TRIGGER; write it like 12/3 or latest/3",
                             OneLine(name));
    }
  }
  ASSIGN_OR_RETURN(const RunId run, FindRun(session, name.substr(0, slash)));
  found.run = run.value;
  return found;
}

absl::StatusOr<RunTrigger> FindTrigger(const Session& session, const std::string& name) {
  if (name.find('/') == std::string::npos) {
    return InvalidArgument("'{}' is not RUN/TRIGGER; write it like 12/3 or latest/3",
                           OneLine(name));
  }
  return FindRunTrigger(session, name);
}

absl::StatusOr<NamedModel> FindModel(const Session& session, const std::string& name) {
  ASSIGN_OR_RETURN(const auto number, IdNamed(name, "model"));
  if (number) return NamedModel{.id = {*number}};
  ASSIGN_OR_RETURN(ModelPlace model, PlaceOfModel(session, name));
  if (!session.quiet()) {
    PrintToStderr(fmt::format(
        "{} is model {} (run {}, trigger {}){}\n", name, model.model, model.run, model.trigger,
        model.in_use ? ", " + Printable(supervisor::InUseText(*model.in_use)) : ""));
  }
  return NamedModel{.id = {model.model}, .in_use = std::move(model.in_use)};
}

absl::StatusOr<std::string> FindPipeline(const Session& session, const std::string& name) {
  ASSIGN_OR_RETURN(std::string pipeline, PipelineIn(session, "pipeline", name));
  ASSIGN_OR_RETURN(const std::vector<std::string> known, PipelineNames(session));
  if (pipeline.empty()) {
    supervisor::v1::ListRunsRequest newest;
    newest.set_limit(1);
    ASSIGN_OR_RETURN(const auto listed, session.Ask(&SupervisorClient::FindRuns, newest));
    if (listed.runs_size() == 0) return NotFound("there are no runs yet");
    return listed.runs(0).pipeline_name();
  }
  if (std::ranges::find(known, pipeline) != known.end()) return pipeline;
  return NotFound("there is no pipeline '{}'{}", pipeline, Proposal(pipeline, known));
}

}  // namespace tidemill::cli
