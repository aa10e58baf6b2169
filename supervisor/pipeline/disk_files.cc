#include "supervisor/pipeline/disk_files.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "fmt/format.h"

#include "base/digest.h"
#include "base/files.h"
#include "supervisor/pipeline/torchscript_file.h"

namespace tidemill::supervisor {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPieceBytes = size_t{1} << 20;

std::string TooLarge(const std::string& name, uintmax_t size, size_t most) {
  return fmt::format("{} has {} bytes, but at most {} are allowed", name, size, most);
}

}  // namespace

std::vector<fs::path> DiskFiles::Folders() const {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const std::string& folder : {base_folder_, data_folder_}) {
    if (folder.empty()) continue;
    if (const fs::path real = fs::canonical(folder, error); !error) folders.push_back(real);
  }
  return folders;
}

std::string DiskFiles::Locate(const std::string& name, std::string_view field,
                              config::Problems& problems) const {
  fs::path path = name;
  if (path.is_relative()) path = fs::path(base_folder_) / path;
  path = path.lexically_normal();
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error || !fs::is_regular_file(real, error)) {
    problems.Add(field, fmt::format("there is no file {}", path.string()), "check the path");
    return "";
  }
  const bool is_allowed = std::ranges::any_of(Folders(), [&](const fs::path& folder) {
    const fs::path inside = real.lexically_relative(folder);
    return !inside.empty() && *inside.begin() != "..";
  });
  if (!is_allowed) {
    problems.Add(field, fmt::format("{} is outside the pipeline's folder", real.string()),
                 "move it there, or below TIDEMILL_DATA");
    return "";
  }
  return real.string();
}

std::optional<std::string> DiskFiles::Read(const std::string& name, size_t most,
                                           std::string_view field, config::Problems& problems) {
  const std::string path = Locate(name, field, problems);
  if (path.empty()) return std::nullopt;
  std::error_code error;
  if (const auto size = fs::file_size(path, error); !error && size > most) {
    problems.Add(field, TooLarge(name, size, most),
                 "leave out everything that is not needed to make rows");
    return std::nullopt;
  }
  auto bytes = files::Read(path, most);
  if (!bytes.ok()) {
    problems.Add(field, std::string(bytes.status().message()), "check who may read the file");
    return std::nullopt;
  }
  read_[name] = *bytes;
  return *std::move(bytes);
}

std::optional<std::string> DiskFiles::Keep(const std::string& name, std::string_view field,
                                           config::Problems& problems) {
  if (name.starts_with(kKeptFile)) return name;  // The stack has it, or says that it has not.
  Network network{.path = Locate(name, field, problems), .size_bytes = 0, .digest = {}};
  if (network.path.empty()) return std::nullopt;
  std::ifstream file(network.path, std::ios::binary);
  std::string piece(kPieceBytes, '\0');
  TorchScriptLook look;
  Sha256Stream digest;
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    const std::string_view bytes(piece.data(), static_cast<size_t>(file.gcount()));
    look.Add(bytes);
    digest.Add(bytes);
    network.size_bytes += file.gcount();
    if (network.size_bytes > kMostNetworkBytes) {
      std::error_code error;
      problems.Add(field, TooLarge(name, fs::file_size(network.path, error), kMostNetworkBytes),
                   "leave the weights out of it, or store them as half precision");
      return std::nullopt;
    }
  }
  if (const absl::Status found = look.Judge(name); !found.ok()) {
    problems.Add(field, std::string(found.message()),
                 "write it with torch.jit.script(module).save(path)");
    return std::nullopt;
  }
  network.digest = digest.Finish();
  network_ = std::move(network);
  return fmt::format("{}{}", kKeptFile, network_->digest);
}

}  // namespace tidemill::supervisor
