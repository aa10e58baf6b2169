#include "cli/doctor/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "nlohmann/json.hpp"

#include "cli/command_line/action.h"
#include "cli/commands/stack/commands.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/tone.h"
#include "cli/terminal/view.h"

namespace tidemill::cli {
namespace {

const char* NameOfLevel(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kWarn:
      return "warn";
    case Health::kFail:
      return "fail";
  }
  return "fail";
}

void ShowFindings(const Findings& findings, bool paint) {
  for (const Finding& finding : findings) {
    const Tone tone = finding.health == Health::kOk     ? Tone::kGood
                      : finding.health == Health::kWarn ? Tone::kDoubtful
                                                        : Tone::kBad;
    const std::string name = fmt::format("{:<4}", NameOfLevel(finding.health));
    fmt::print("{}  {:<14} {}\n", InTone(name, tone, paint), finding.check,
               Printable(finding.message));
    if (!finding.fix.empty()) fmt::print("      {:<14} fix: {}\n", "", Printable(finding.fix));
  }
}

int Doctor(const GlobalFlags& flags, const std::string& service) {
  const Findings findings = Examine(flags, service);
  const auto failed = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.health == Health::kFail;
  });
  if (!flags.json) {
    ShowFindings(findings, TakesColour(STDOUT_FILENO));
    return failed == 0 ? kDone : kFailed;
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"check", finding.check},
                    {"state", NameOfLevel(finding.health)},
                    {"message", finding.message},
                    {"fix", finding.fix.empty() ? nlohmann::ordered_json(nullptr)
                                                : nlohmann::ordered_json(finding.fix)}});
  }
  const nlohmann::ordered_json json = {{"healthy", failed == 0}, {"findings", list}};
  fmt::print("{}\n", json.dump());
  return failed == 0 ? kDone : kFailed;
}

}  // namespace

void AddDoctorCommand(Command& app) {
  Command& doctor =
      app.AddSubcommand("doctor", "Say what is wrong with a stack, and which command fixes it");
  static std::string service;
  doctor.AddOption("--service", service, "Look at this service only")
      .TypeName("SERVICE")
      .OneOf(std::vector<std::string>(std::begin(kServices), std::end(kServices)));
  SetAction(doctor, [](const GlobalFlags& flags) { return Doctor(flags, service); });
  doctor.AddExample("tidemill doctor");
  doctor.AddExample("tidemill doctor --service storage --json");
}

}  // namespace tidemill::cli
