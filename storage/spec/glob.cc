#include "storage/spec/glob.h"

namespace tidemill::storage {

bool GlobMatches(std::string_view glob, std::string_view path) {
  // Where to come back to after the last `*` and the last `**`: glob after it, path tried so far.
  size_t star_glob = std::string_view::npos, star_path = 0;
  size_t stars_glob = std::string_view::npos, stars_path = 0;
  size_t g = 0, p = 0;
  while (true) {
    if (glob.substr(g, 2) == "**") {
      // "**/" matches no folder as well.
      g += glob.substr(g, 3) == "**/" ? 3 : 2;
      stars_glob = g;
      stars_path = p;
      star_glob = std::string_view::npos;
    } else if (g < glob.size() && glob[g] == '*') {
      star_glob = ++g;
      star_path = p;
    } else if (p == path.size() && g == glob.size()) {
      return true;
    } else if (p < path.size() && g < glob.size() &&
               (glob[g] == path[p] || (glob[g] == '?' && path[p] != '/'))) {
      ++g;
      ++p;
    } else if (star_glob != std::string_view::npos && star_path < path.size() &&
               path[star_path] != '/') {
      g = star_glob;
      p = ++star_path;
    } else if (stars_glob != std::string_view::npos && stars_path < path.size()) {
      g = stars_glob;
      const bool whole_folders = glob[stars_glob - 1] == '/';
      ++stars_path;
      while (whole_folders && stars_path < path.size() && path[stars_path - 1] != '/') ++stars_path;
      p = stars_path;
      star_glob = std::string_view::npos;
    } else {
      return false;
    }
  }
}

}  // namespace tidemill::storage
