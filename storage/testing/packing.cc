#include "storage/testing/packing.h"

#include <lzma.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "storage/testing/data_folder.h"

namespace tidemill::storage::testing {

namespace {

namespace fs = std::filesystem;

std::string Zstd(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
  return packed;
}

std::string Xz(std::string_view bytes) {
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t size = 0;
  lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr,
                          reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                          reinterpret_cast<uint8_t*>(packed.data()), &size, packed.size());
  packed.resize(size);
  return packed;
}

}  // namespace

std::string SuffixOf(Packing packing) {
  if (packing == Packing::kGzip) return ".gz";
  return packing == Packing::kXz ? ".xz" : ".zst";
}

std::string Pack(std::string_view bytes, Packing packing) {
  if (packing == Packing::kGzip) return Gzip(bytes);
  return packing == Packing::kXz ? Xz(bytes) : Zstd(bytes);
}

GeneratedDataset Packed(GeneratedDataset dataset, Packing packing) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(dataset.folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  const std::string suffix = SuffixOf(packing);
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::ofstream(path.string() + suffix, std::ios::binary) << Pack(bytes, packing);
    fs::remove(path);
  }
  for (ExpectedSample& sample : dataset.samples) sample.file += suffix;
  // Every pattern of file names ends as the files do.
  const std::string ending = paths.front().extension().string() + "\"";
  for (size_t at = 0; (at = dataset.spec.find(ending, at)) != std::string::npos;) {
    at += ending.size() - 1;
    dataset.spec.insert(at, suffix);
  }
  return dataset;
}

}  // namespace tidemill::storage::testing
