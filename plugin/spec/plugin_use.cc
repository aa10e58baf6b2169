#include "plugin/spec/plugin_use.h"

#include <cstddef>
#include <set>

#include "fmt/format.h"

namespace tidemill::plugin {
namespace {

constexpr char kExample[] = "write use: surprise.py:Surprise";

bool IsPython(std::string_view file) { return file.ends_with(".py"); }
bool IsSharedObject(std::string_view file) { return file.ends_with(".so"); }

}  // namespace

std::string_view NameOf(Language language) {
  return language == Language::kPython ? "python" : "c++";
}

void PluginUse::Check(config::Problems& problems) const {
  if (file().empty() || name().empty() || file().ends_with(':')) {
    problems.Add("use", fmt::format("'{}' does not name a file and a plug-in in it", use),
                 kExample);
  } else if (!IsPython(file()) && !IsSharedObject(file())) {
    problems.Add("use", fmt::format("{} is neither a Python file nor a shared object", file()),
                 "its name ends with .py or .so");
  }
  std::set<std::string> known = {""};
  for (size_t i = 0; i < files.size(); ++i) {
    if (known.insert(files[i]).second) continue;
    problems.Add(fmt::format("files[{}]", i),
                 files[i].empty() ? "names no file" : fmt::format("names {} again", files[i]),
                 "leave it out");
  }
}

std::string PluginUse::file() const {
  const size_t colon = use.rfind(':');
  return colon == std::string::npos ? "" : use.substr(0, colon);
}

std::string PluginUse::name() const {
  const size_t colon = use.rfind(':');
  return colon == std::string::npos ? "" : use.substr(colon + 1);
}

Language PluginUse::language() const {
  return IsPython(file()) ? Language::kPython : Language::kCpp;
}

}  // namespace tidemill::plugin
