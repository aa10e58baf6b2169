#include "supervisor/pipeline/disk_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/paths/allowed_folders.h"
#include "base/paths/regular_file.h"
#include "base/whole_io.h"
#include "supervisor/pipeline/torchscript_file.h"

namespace tidemill::supervisor {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPieceBytes = size_t{1} << 20;

std::string TooLarge(const std::string& name, uintmax_t size, size_t most) {
  return fmt::format("{} has {} bytes, but at most {} are allowed", name, size, most);
}

}  // namespace

std::optional<DiskFiles::OpenFile> DiskFiles::Open(const std::string& name, std::string_view field,
                                                   config::Problems& problems) const {
  const auto absolute = [](const fs::path& path) {
    return fs::absolute(path).lexically_normal().string();
  };
  std::vector<std::string> allowed;
  for (const std::string& folder : {base_folder_, data_folder_}) {
    if (!folder.empty()) allowed.push_back(absolute(folder));
  }
  const AllowedFolders folders(allowed, std::make_shared<StateFolders>(std::vector<std::string>()),
                               "is outside the pipeline's folder");
  OpenFile file{.path = absolute(fs::path(base_folder_) / name), .descriptor = {}};
  absl::StatusOr<Descriptor> descriptor = folders.OpenFile(file.path);
  struct stat status = {};
  if (absl::IsNotFound(descriptor.status())) {
    problems.Add(field, fmt::format("there is no file {}", file.path), "check the path");
    return std::nullopt;
  }
  if (absl::IsInvalidArgument(descriptor.status())) {
    problems.Add(field, std::string(descriptor.status().message()),
                 "move it there, or below TIDEMILL_DATA");
    return std::nullopt;
  }
  if (!descriptor.ok() || fstat(descriptor->number(), &status) != 0) {
    problems.Add(field, std::string(descriptor.status().message()), "check who may read the file");
    return std::nullopt;
  }
  file.descriptor = *std::move(descriptor);
  file.size_bytes = static_cast<uintmax_t>(status.st_size);
  return file;
}

std::optional<std::string> DiskFiles::ReadOnce(const std::string& name, size_t most,
                                               std::string_view field,
                                               config::Problems& problems) const {
  const std::optional<OpenFile> file = Open(name, field, problems);
  if (!file) return std::nullopt;
  if (file->size_bytes > most) {
    problems.Add(field, TooLarge(name, file->size_bytes, most),
                 "leave out everything that is not needed to make rows");
    return std::nullopt;
  }
  auto bytes = files::ReadRegular(file->descriptor, file->path, most);
  if (!bytes.ok()) {
    problems.Add(field, std::string(bytes.status().message()), "check who may read the file");
    return std::nullopt;
  }
  return *std::move(bytes);
}

std::optional<std::string> DiskFiles::Read(const std::string& name, size_t most,
                                           std::string_view field, config::Problems& problems) {
  auto bytes = ReadOnce(name, most, field, problems);
  if (bytes) read_[name] = *bytes;
  return bytes;
}

std::optional<std::string> DiskFiles::ReadPacked(const config::NamedFiles::Packed& file,
                                                 config::Problems& problems) {
  auto bytes = ReadOnce(file.name, file.most, file.key, problems);
  if (!bytes) return std::nullopt;
  auto packed = file.pack(*std::move(bytes));
  if (packed) read_[NameOf(file)] = *packed;
  return packed;
}

std::optional<DiskFiles::Network> DiskFiles::Digest(
    const std::string& name, std::string_view field, config::Problems& problems,
    const std::function<void(std::string_view)>& look) const {
  const std::optional<OpenFile> file = Open(name, field, problems);
  if (!file) return std::nullopt;
  Network network{.path = file->path, .size_bytes = 0, .digest = {}};
  std::string piece(kPieceBytes, '\0');
  Sha256Stream digest;
  for (;;) {
    const ssize_t count = ReadSome(file->descriptor.number(), piece);
    if (count <= 0) break;
    const std::string_view bytes(piece.data(), static_cast<size_t>(count));
    look(bytes);
    digest.Add(bytes);
    network.size_bytes += count;
    if (network.size_bytes > kMaxNetworkBytes) {
      problems.Add(field, TooLarge(name, file->size_bytes, kMaxNetworkBytes),
                   "leave out weights that are not needed, or store them as half precision");
      return std::nullopt;
    }
  }
  network.digest = digest.Finish();
  return network;
}

std::optional<std::string> DiskFiles::Keep(const std::string& name, std::string_view field,
                                           config::Problems& problems) {
  if (name.starts_with(kKeptFile)) return name;  // The stack has it, or says that it has not.
  TorchScriptLook look;
  std::optional<Network> network =
      Digest(name, field, problems, [&look](std::string_view bytes) { look.Add(bytes); });
  if (!network) return std::nullopt;
  if (const absl::Status found = look.Judge(name); !found.ok()) {
    problems.Add(field, std::string(found.message()),
                 "write it with tidemill.export(module, example, path), or with "
                 "torch.jit.script(module).save(path)");
    return std::nullopt;
  }
  network_ = *std::move(network);
  return fmt::format("{}{}", kKeptFile, network_->digest);
}

}  // namespace tidemill::supervisor
