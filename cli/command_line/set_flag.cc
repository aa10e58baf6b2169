#include "cli/command_line/set_flag.h"

#include "fmt/format.h"

#include "base/check.h"

namespace tidemill::cli {

void AddSetFlag(Command& command, std::vector<std::string>& texts) {
  AddSetFlag(command, texts,
             "Replace a value of the file, such as training.optimizer.lr=1e-3 or "
             "evaluation.0.dataset=weather; may be given several times");
}

void AddSetFlag(Command& command, std::vector<std::string>& texts, const std::string& meaning) {
  command.AddOption("--set", texts, meaning)
      .TypeName("KEY=VALUE")
      .OneEach()
      .Check([](const std::string& text) {
        const bool has_both = text.find('=') != std::string::npos && !text.starts_with('=');
        return has_both ? ""
                        : fmt::format(
                              "'{}' sets nothing; write the key, '=' and the value, such as "
                              "training.epochs=3",
                              text);
      });
}

std::vector<config::Override> OverridesOf(const std::vector<std::string>& texts) {
  std::vector<config::Override> overrides;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    TIDEMILL_CHECK(equals != std::string::npos);
    overrides.push_back({.path = text.substr(0, equals), .value = text.substr(equals + 1)});
  }
  return overrides;
}

}  // namespace tidemill::cli
