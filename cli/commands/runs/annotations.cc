#include "cli/commands/runs/annotations.h"

#include <cstdio>
#include <string>
#include <vector>

#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "cli/command_line/with_run.h"
#include "cli/results/run_json.h"
#include "cli/terminal/text.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {
namespace {

struct AnnotationFlags {
  std::string run;
  std::vector<std::string> tags;
  std::string note;
};

AnnotationFlags& FlagsOfAnnotations() {
  static AnnotationFlags flags;
  return flags;
}

// "run 3: tags nightly, best; note: with more data".
std::string DescribeAnnotations(const supervisor::v1::Run& run) {
  std::string text =
      fmt::format("run {}: {}", run.run_id(), run.tags().empty() ? "no tags" : "tags ");
  text += fmt::format("{}", fmt::join(run.tags(), ", "));
  return text + (run.note().empty() ? "; no note\n" : "; note: " + Printable(run.note()) + "\n");
}

int Change(const GlobalFlags& flags, supervisor::v1::AnnotateRunRequest request) {
  return WithRun(flags, FlagsOfAnnotations().run, [&](const Session& session, int64_t run) -> int {
    request.set_run_id(run);
    const auto changed = session.Ask(&supervisor::SupervisorClient::AnnotateRun, request);
    if (!changed.ok()) return Report(changed.status());
    fmt::print("{}",
               flags.json ? RunToJson(*changed).dump() + "\n" : DescribeAnnotations(*changed));
    return kDone;
  });
}

int Tag(const GlobalFlags& flags) {
  supervisor::v1::AnnotateRunRequest request;
  const auto& tags = FlagsOfAnnotations().tags;
  request.mutable_added_tags()->Add(tags.begin(), tags.end());
  return Change(flags, std::move(request));
}

int Untag(const GlobalFlags& flags) {
  supervisor::v1::AnnotateRunRequest request;
  const auto& tags = FlagsOfAnnotations().tags;
  request.mutable_removed_tags()->Add(tags.begin(), tags.end());
  return Change(flags, std::move(request));
}

int Note(const GlobalFlags& flags) {
  supervisor::v1::AnnotateRunRequest request;
  request.set_note(FlagsOfAnnotations().note);
  return Change(flags, std::move(request));
}

Command& AddVerb(Command& runs, const char* verb, const char* meaning) {
  Command& command = runs.AddSubcommand(verb, meaning);
  command.AddOption("run", FlagsOfAnnotations().run, kRunMeaning).Required().TypeName("RUN");
  return command;
}

}  // namespace

void AddAnnotationCommands(Command& runs) {
  Command& tag = AddVerb(runs, "tag", "Add tags to a run: `runs list --tag` finds it by them");
  tag.AddOption("tags", FlagsOfAnnotations().tags,
                "Tags of letters, digits, '_', '-' and '.'; a run has at most 20")
      .Required()
      .TypeName("TAG");
  SetAction(tag, Tag);
  tag.AddExample("tidemill runs tag latest best");
  Command& untag = AddVerb(runs, "untag", "Remove tags from a run");
  untag.AddOption("tags", FlagsOfAnnotations().tags, "Tags; those that it lacks are passed over")
      .Required()
      .TypeName("TAG");
  SetAction(untag, Untag);
  untag.AddExample("tidemill runs untag 12 best nightly");
  Command& note = AddVerb(runs, "note", "Write a note on a run, in place of the one that it has");
  note.AddOption("text", FlagsOfAnnotations().note,
                 "One line of up to 1,000 bytes; an empty one removes the note")
      .Required()
      .TypeName("TEXT")
      .MayBeEmpty();
  SetAction(note, Note);
  note.AddExample("tidemill runs note 12 recalibrated");
}

}  // namespace tidemill::cli
