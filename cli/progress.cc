#include "cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "fmt/format.h"

#include "cli/text.h"

namespace tidemill::cli {
namespace {

constexpr std::chrono::milliseconds kRepaint{100};
constexpr std::chrono::seconds kPlain{10};
constexpr int kBarWidth = 20;

std::string Bar(double share) {
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * kBarWidth);
  std::string bar(filled, '=');
  if (filled < kBarWidth) bar += '>';
  bar.resize(kBarWidth, ' ');
  return bar;
}

// Events that say what a person would want to read while waiting; the rest is in `runs show`.
bool IsNews(const std::string& type) {
  static const std::set<std::string> kNews = {"run_started",   "run_resumed",    "snapshot_pinned",
                                              "trigger_fired", "model_stored",   "run_failed",
                                              "run_stopped",   "evaluation_done"};
  return kNews.contains(type);
}

}  // namespace

std::string ProgressLine(const supervisor::v1::Progress& progress) {
  std::string line;
  if (progress.trigger() > 0) line += fmt::format("trigger {:<3} ", progress.trigger());
  line += fmt::format("{:<8} ", progress.stage());
  if (progress.total() > 0) {
    const double share =
        static_cast<double>(progress.done()) / static_cast<double>(progress.total());
    line += fmt::format("[{}] {:3.0f} % {}/{} {}", Bar(share), share * 100,
                        WithThousands(progress.done()), WithThousands(progress.total()),
                        progress.unit());
  } else if (progress.done() > 0) {
    line += fmt::format("{} {} so far", WithThousands(progress.done()), progress.unit());
  }
  if (progress.per_second() > 0) line += fmt::format("  {}/s", Short(progress.per_second()));
  if (progress.loss() != 0) line += fmt::format("  loss {:.4f}", progress.loss());
  if (progress.wait_share() > 0.01) {
    line += fmt::format("  waiting for data {:.0f} %", progress.wait_share() * 100);
  }
  return line;
}

ProgressPrinter::ProgressPrinter(bool terminal, bool quiet) : terminal_(terminal), quiet_(quiet) {}

ProgressPrinter::~ProgressPrinter() { Clear(); }

void ProgressPrinter::Event(const supervisor::v1::WatchRunResponse::Event& event) {
  if (IsNews(event.type())) Say(event.text());
}

void ProgressPrinter::Update(const supervisor::v1::Progress& progress) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  const auto pause =
      terminal_ ? std::chrono::milliseconds(kRepaint) : std::chrono::milliseconds(kPlain);
  if (now - last_ < pause) return;
  last_ = now;
  if (!terminal_) {
    fmt::print(stderr, "{}\n", ProgressLine(progress));
    return;
  }
  fmt::print(stderr, "\r\x1b[2K{}", ProgressLine(progress).substr(0, TerminalWidth() - 1));
  std::fflush(stderr);
  painted_ = true;
}

void ProgressPrinter::Say(const std::string& text) {
  if (quiet_) return;
  Clear();
  fmt::print(stderr, "{}\n", Printable(text));
}

void ProgressPrinter::Clear() {
  if (painted_) fmt::print(stderr, "\r\x1b[2K");
  painted_ = false;
}

}  // namespace tidemill::cli
