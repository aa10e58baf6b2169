// The files that a part of a document names, such as the file of a plug-in, and the base class of
// parts that may name files.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/choice.h"
#include "config/documents/problems.h"

namespace tidemill::config {

// Thread-compatible.
class NamedFiles {
 public:
  virtual ~NamedFiles() = default;

  // Returns the bytes of a file. Otherwise adds a problem at the part's own `key` and returns
  // std::nullopt. A file of more than `most` bytes is a problem.
  virtual std::optional<std::string> Read(const std::string& name, size_t most,
                                          std::string_view key, Problems& problems) = 0;

  // A file a part of which is kept, in a packed form.
  struct Packed {
    std::string name;
    size_t most = 0;  // Bytes of the file.
    std::string
        contents;  // The inputs of `pack` besides the bytes, which identify the packed form.
    std::string_view key;
    // Returns the packed form of the bytes, or std::nullopt after a problem.
    std::function<std::optional<std::string>(std::string bytes)> pack;
  };
  // Returns the packed form of a file, or std::nullopt after a problem. A file that came packed is
  // not packed again.
  virtual std::optional<std::string> ReadPacked(const Packed& file, Problems& problems) {
    auto bytes = Read(file.name, file.most, file.key, problems);
    if (!bytes) return std::nullopt;
    return file.pack(*std::move(bytes));
  }
};

// Thread-compatible.
template <typename Interface>
class PartWithFiles : public Part<Interface> {
 public:
  // Replaces the names of files in the spec by their contents, because the services do not have the
  // files. Adds problems at its own keys. A file that could not be read is replaced by a
  // placeholder. A part that is composed of parts does the same for them.
  virtual void TakeFiles(NamedFiles& /*files*/, Problems& /*problems*/) {}

  // Returns the external code that the part runs: a plug-in, its versions and its sandbox. Empty
  // for built-in parts. The members of a part are not included.
  virtual std::string RunsWith() const { return ""; }
};

// Returns the external code of a part and of its members, in their order.
template <typename Interface>
std::vector<std::string> AllRunsWith(const Choice<Interface>& part) {
  std::vector<std::string> all;
  if (std::string own = part->RunsWith(); !own.empty()) all.push_back(std::move(own));
  for (const Choice<Interface>& member : part->members()) {
    for (std::string& below : AllRunsWith(member)) all.push_back(std::move(below));
  }
  return all;
}

}  // namespace tidemill::config
