#include "storage/testing/tar_writer.h"

#include "fmt/format.h"

namespace tidemill::storage::testing {

namespace {

constexpr size_t kBlock = 512;

std::string Padded(std::string bytes) {
  bytes.resize((bytes.size() + kBlock - 1) / kBlock * kBlock, '\0');
  return bytes;
}

// "length key=value\n" with a length that counts itself.
std::string PaxRecord(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length) ++length;
  return std::to_string(length) + rest;
}

}  // namespace

std::string TarHeader(const std::string& name, const std::string& prefix, int64_t size, char type,
                      const std::string& target) {
  std::string header(kBlock, '\0');
  const auto put = [&](size_t at, const std::string& text) {
    header.replace(at, text.size(), text);
  };
  put(0, name);
  put(100, "0000644");
  put(108, "0001750");
  put(116, "0001750");
  put(124, fmt::format("{:011o}", size));
  put(136, "14370000000");
  put(148, "        ");
  header[156] = type;
  put(157, target);
  put(257, "ustar");
  put(263, "00");
  put(345, prefix);
  uint32_t sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return header;
}

std::string TarMemberBytes(const TarEntry& entry, LongNames long_names) {
  const auto size = static_cast<int64_t>(entry.bytes.size());
  const std::string bytes = Padded(entry.bytes);
  if (entry.name.size() <= 100) return TarHeader(entry.name, "", size, entry.type) + bytes;
  const size_t slash = entry.name.rfind('/');
  if (slash != std::string::npos && slash <= 155 && entry.name.size() - slash - 1 <= 100) {
    return TarHeader(entry.name.substr(slash + 1), entry.name.substr(0, slash), size, entry.type) +
           bytes;
  }
  const std::string cut = entry.name.substr(entry.name.size() - 100);
  std::string before;
  if (long_names == LongNames::kGnu) {
    const std::string name = entry.name + std::string(1, '\0');
    before = TarHeader("././@LongLink", "", static_cast<int64_t>(name.size()), 'L') + Padded(name);
  } else {
    const std::string records = PaxRecord("path", entry.name) + PaxRecord("mtime", "1.5");
    before =
        TarHeader("PaxHeaders/x", "", static_cast<int64_t>(records.size()), 'x') + Padded(records);
  }
  return before + TarHeader(cut, "", size, entry.type) + bytes;
}

std::string TarEnd() { return std::string(2 * kBlock, '\0'); }

}  // namespace tidemill::storage::testing
