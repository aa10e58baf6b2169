// Where tests and benchmarks find files of the source tree and of the build. They look when they
// run: a path that is compiled in would make every clone compile them again.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace tidemill::testing {

// Returns the path of a file of the build, whose programs are in its folder bin.
inline std::string InBuild(std::string_view path) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path().parent_path() / path).string();
}

// Returns the path of a file of the source tree. Ends the program when it is not part of a build.
inline std::string InTree(std::string_view path) {
  // Written when the build is configured.
  const std::string note = InBuild("source_tree.txt");
  std::ifstream stream(note);
  std::string tree;
  if (!std::getline(stream, tree)) {
    std::fprintf(stderr, "%s is missing: run this program where the build has it\n", note.c_str());
    std::abort();
  }
  return (std::filesystem::path(tree) / path).string();
}

}  // namespace tidemill::testing
