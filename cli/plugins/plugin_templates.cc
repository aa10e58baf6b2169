#include "cli/plugins/plugin_templates.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "fmt/ranges.h"

#include "base/files.h"
#include "base/process/program_folder.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;

std::string EndingOf(const std::string& language) { return language == "python" ? "py" : "cpp"; }

bool IsIdentifier(const std::string& name) {
  const auto letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); };
  return !name.empty() && letter(name[0]) && name[0] != '_' &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

absl::Status Check(const NewPlugin& plugin) {
  if (!IsIdentifier(plugin.name)) {
    return InvalidArgument(
        "'{}' is not a valid name for a plug-in; write small letters, digits and _", plugin.name);
  }
  if (plugin.language != "python" && plugin.language != "c++") {
    return InvalidArgument("plug-ins are written in python or c++, not in '{}'", plugin.language);
  }
  return absl::OkStatus();
}

// The kinds that have templates in that language.
std::set<std::string> KindsIn(const fs::path& templates, const std::string& language) {
  std::set<std::string> kinds;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(templates, error)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() == "." + EndingOf(language) && !stem.ends_with("_test")) {
      kinds.insert(stem);
    }
  }
  return kinds;
}

}  // namespace

std::string NewPlugin::ClassName() const {
  std::string text;
  bool begins = true;
  for (const char letter : name) {
    if (letter == '_') {
      begins = true;
      continue;
    }
    text +=
        begins && letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    begins = false;
  }
  return text;
}

std::string NewPlugin::Use() const {
  return fmt::format("{}.{}:{}", name, language == "python" ? "py" : "so", ClassName());
}

absl::StatusOr<std::vector<std::string>> WritePlugin(const NewPlugin& plugin) {
  RETURN_IF_ERROR(Check(plugin));
  ASSIGN_OR_RETURN(const std::string programs, process::ProgramFolder());
  const fs::path templates = fs::path(programs) / "../lib/tidemill/templates";
  const std::set<std::string> kinds = KindsIn(templates, plugin.language);
  if (!kinds.contains(plugin.kind)) {
    return InvalidArgument("there is no template for a {} in {}; there are templates for {}",
                           plugin.kind, plugin.language, fmt::join(kinds, ", "));
  }
  const std::string ending = EndingOf(plugin.language);
  const std::string endings[] = {"." + ending, "_test." + ending};
  for (const std::string& suffix : endings) {
    const std::string file = plugin.name + suffix;
    if (fs::exists(file)) return AlreadyExists("{} already exists; choose another name", file);
  }
  std::vector<std::string> written;
  for (const std::string& suffix : endings) {
    const std::string file = plugin.name + suffix;
    const fs::path from = templates / (plugin.kind + suffix);
    if (!fs::exists(from)) continue;
    ASSIGN_OR_RETURN(std::string text, files::Read(from.string(), size_t{1} << 20));
    text = Replaced(Replaced(std::move(text), "CLASS_NAME", plugin.ClassName()), "FILE_NAME",
                    plugin.name);
    RETURN_IF_ERROR(files::WriteAtomically(file, text));
    written.push_back(file);
  }
  return written;
}

namespace {

std::string HeaderFolder() {
  const fs::path programs = process::ProgramFolder().value_or(".");
  return (programs / "../include").lexically_normal().string();
}

}  // namespace

std::string CompileCommand(const std::string& name) {
  return fmt::format("g++ -std=c++20 -O2 -shared -fPIC -I {1} {0}.cpp -o {0}.so", name,
                     HeaderFolder());
}

std::string TestCommand(const std::string& name) {
  return fmt::format("g++ -std=c++20 -I {1} {0}_test.cpp -o {0}_test && ./{0}_test", name,
                     HeaderFolder());
}

}  // namespace tidemill::cli
