#include "cli/views/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "fmt/format.h"

#include "cli/results/run_json.h"
#include "cli/terminal/text.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

using std::chrono::seconds;

constexpr std::chrono::milliseconds kRepaint{100};
constexpr seconds kFirstPlain{10};
constexpr seconds kLastPlain{60};

// Events that say what a person would want to read while waiting; the rest is in `runs show`.
bool IsNews(const std::string& type) {
  static const std::set<std::string> kNews = {
      "run_started",    "run_resumed",   "dataset_synced", "trigger_fired",  "trigger_skipped",
      "policy_faulted", "model_stored",  "run_failed",     "run_stopped",    "selection_faulted",
      "step_waited",    "samples_ahead", "plugin_died",    "plugins_changed"};
  return kNews.contains(type);
}

Tone ToneOfEvent(const std::string& type) {
  static const std::map<std::string, Tone> kTones = {
      {"run_failed", Tone::kBad},           {"run_stopped", Tone::kDoubtful},
      {"trigger_skipped", Tone::kDoubtful}, {"policy_faulted", Tone::kDoubtful},
      {"plugin_died", Tone::kDoubtful},     {"selection_faulted", Tone::kDoubtful},
      {"step_waited", Tone::kDoubtful}};
  const auto found = kTones.find(type);
  return found == kTones.end() ? Tone::kPlain : found->second;
}

std::string StageName(const std::string& stage) {
  static const std::map<std::string, std::string> kNames = {{"sync", "reading the dataset"},
                                                            {"decide", "deciding"},
                                                            {"follow", "following"},
                                                            {"select", "selecting"},
                                                            {"fit", "fitting"},
                                                            {"train", "training"},
                                                            {"store", "storing"},
                                                            {"evaluate", "measuring"}};
  const auto found = kNames.find(stage);
  return found == kNames.end() ? stage : found->second;
}

// A piece of the line; where room is short, those of the highest `rank` are left out.
struct Part {
  int rank;
  std::string text;
};

// The share of the whole run if that is known, else of the stage.
std::optional<double> ShareOf(const supervisor::v1::Progress& progress) {
  if (progress.has_share()) return progress.share();
  if (progress.total() <= 0) return std::nullopt;
  return static_cast<double>(progress.done()) / static_cast<double>(progress.total());
}

std::string TriggerText(const supervisor::v1::Progress& progress) {
  if (progress.trigger() == 0) return "";
  std::string text = fmt::format("trigger {}", progress.trigger());
  if (progress.expected_triggers() >= progress.trigger()) {
    text += fmt::format(" of about {}", WithThousands(progress.expected_triggers()));
  }
  return text;
}

std::string CountText(const supervisor::v1::Progress& progress) {
  if (progress.has_share() || progress.done() == 0) return "";
  if (progress.total() == 0) {
    return fmt::format("{} {} so far", WithThousands(progress.done()), progress.unit());
  }
  return fmt::format("{} of {} {}", WithThousands(progress.done()), WithThousands(progress.total()),
                     progress.unit());
}

std::vector<Part> PartsOf(const supervisor::v1::Progress& progress,
                          std::optional<double> seconds_left) {
  std::vector<Part> parts = {{1, TriggerText(progress)},
                             {progress.trigger() == 0 ? 0 : 5, StageName(progress.stage())},
                             {6, CountText(progress)}};
  if (const auto share = ShareOf(progress)) {
    // All of it is done only once the stream has ended.
    const double percent = std::floor(100 * std::clamp(*share, 0.0, 1.0));
    parts.push_back({2, fmt::format("{:.0f} %", percent)});
  }
  if (seconds_left) parts.push_back({3, About(*seconds_left) + " left"});
  if (progress.loss() != 0) parts.push_back({4, fmt::format("loss {:.4g}", progress.loss())});
  if (progress.per_second() > 0) {
    parts.push_back({7, fmt::format("{} {}/s", Short(progress.per_second()), progress.unit())});
  }
  if (progress.wait_share() > 0.01) {
    parts.push_back({8, fmt::format("waiting for data {:.0f} %", progress.wait_share() * 100)});
  }
  std::erase_if(parts, [](const Part& part) { return part.text.empty(); });
  return parts;
}

std::string Joined(const std::vector<Part>& parts) {
  std::string line;
  for (const Part& part : parts) line += (line.empty() ? "" : ", ") + part.text;
  return line;
}

}  // namespace

std::string ProgressLine(const supervisor::v1::Progress& progress,
                         std::optional<double> seconds_left, size_t width) {
  std::vector<Part> parts = PartsOf(progress, seconds_left);
  std::string line = Joined(parts);
  while (line.size() > width && !parts.empty()) {
    parts.erase(std::max_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.rank < b.rank; }));
    line = Joined(parts);
  }
  return line;
}

ProgressPrinter::ProgressPrinter(bool terminal, bool quiet)
    : terminal_(terminal),
      quiet_(quiet),
      paint_(terminal && TakesColour(STDERR_FILENO)),
      begin_(std::chrono::steady_clock::now()),
      last_(begin_) {}

ProgressPrinter::~ProgressPrinter() { Clear(); }

void ProgressPrinter::Event(const supervisor::v1::WatchRunResponse::Event& event) {
  if (IsNews(event.type())) Say(event.text(), ToneOfEvent(event.type()));
}

bool ProgressPrinter::IsDue(Time now) const {
  if (terminal_) return now - last_ >= kRepaint;
  const auto since_begin = std::chrono::duration_cast<seconds>(now - begin_);
  return now - last_ >= std::clamp<seconds>(since_begin / 10, kFirstPlain, kLastPlain);
}

void ProgressPrinter::Update(const supervisor::v1::Progress& progress) {
  if (quiet_) return;
  if (progress.waiting_for() != waiting_for_) {
    waiting_for_ = progress.waiting_for();
    if (!waiting_for_.empty())
      Say(fmt::format("{} waits: {}", StageName(progress.stage()), waiting_for_));
  }
  const auto now = std::chrono::steady_clock::now();
  const std::string stage = progress.has_share() ? "" : progress.stage();
  if (stage != stage_) pace_ = Pace();
  stage_ = stage;
  if (const auto share = ShareOf(progress)) pace_.Note(*share, now);
  if (!IsDue(now)) return;
  last_ = now;
  if (!terminal_) {
    const size_t any_width = std::numeric_limits<size_t>::max();
    PrintToStderr(ProgressLine(progress, pace_.SecondsLeft(), any_width) + "\n");
    return;
  }
  const auto width = static_cast<size_t>(std::max(1, TerminalWidth() - 1));
  PrintToStderr("\r\x1b[2K" + ProgressLine(progress, pace_.SecondsLeft(), width));
  std::fflush(stderr);
  painted_ = true;
}

void ProgressPrinter::End(const supervisor::v1::Run& run) {
  if (terminal_) return;
  Say(fmt::format("run {} of {}: {}", run.run_id(), run.pipeline_name(), StateName(run.state())));
}

void ProgressPrinter::Say(const std::string& text, Tone tone) {
  if (quiet_) return;
  Clear();
  PrintToStderr(InTone(Printable(text), tone, paint_) + "\n");
}

void ProgressPrinter::Clear() {
  if (painted_) PrintToStderr("\r\x1b[2K");
  painted_ = false;
}

}  // namespace tidemill::cli
