// The value types of a configuration besides plain C++ ones, and the limits of a field.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::config {

// The limits of a field beyond its C++ type. Unset members mean "no limit".
struct Limits {
  // The bounds of a number, of each number in a list or map, of the bytes of a text, of a Duration
  // in seconds, or of a ByteSize in bytes. Both are inclusive.
  std::optional<double> min = std::nullopt;
  std::optional<double> max = std::nullopt;
  // Whether the key must be present.
  bool required = false;
  // Whether it is a secret, such as a password. Messages never show it; Print() keeps it.
  bool secret = false;
  // One value as YAML, for the reference pages.
  std::string_view example = {};
  // The bounds of the number of elements of a list or map.
  std::optional<double> min_items = std::nullopt;
  std::optional<double> max_items = std::nullopt;
};

// An amount of memory or disk, written with its unit: `64MiB`, `1.5GiB`, `500kB`, `512B`.
struct ByteSize {
  int64_t bytes = 0;

  friend auto operator<=>(const ByteSize&, const ByteSize&) = default;
};

// A number of things, written `2000`, `1_000_000`, `1e6` or `1M`.
struct Count {
  int64_t value = 0;

  friend auto operator<=>(const Count&, const Count&) = default;
};

// The device on which something computes, written `auto`, `cpu`, `cuda` or `cuda:1`. Which devices
// exist depends on the machine; see devices/devices.h.
struct DeviceChoice {
  enum class Kind { kAuto, kCpu, kCuda };

  Kind kind = Kind::kAuto;
  // The GPU with this number, counted from 0. Only with kCuda, which means any of them otherwise.
  std::optional<int> index = std::nullopt;

  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

inline constexpr DeviceChoice kCpuDevice{.kind = DeviceChoice::Kind::kCpu};

// All names (`all`), or the listed ones, in order (`[day, period]`).
struct NameList {
  bool all = false;
  std::vector<std::string> names;

  friend bool operator==(const NameList&, const NameList&) = default;
};

// Pairs of corresponding names: one name (`station`), several (`[station, hour]`), or pairs
// (`{sensor: station}`). A single name means the same name on both sides.
struct NamePairs {
  struct Pair {
    std::string name;
    std::string elsewhere;

    friend bool operator==(const Pair&, const Pair&) = default;
  };
  std::vector<Pair> pairs;

  friend bool operator==(const NamePairs&, const NamePairs&) = default;
};

// A value of a key that this program does not know, such as a setting of a plug-in: a scalar or a
// list of scalars, as it was written. The code that knows the type reads it; see open_value.h.
struct OpenValue {
  struct Scalar {
    std::string text;
    // In quotes, and therefore a text.
    bool quoted = false;

    friend bool operator==(const Scalar&, const Scalar&) = default;
  };
  bool is_list = false;
  // One scalar unless it is a list.
  std::vector<Scalar> scalars;

  friend bool operator==(const OpenValue&, const OpenValue&) = default;
};

// A variant of tagged structs, or a Choice. It is written with its type as the only key:
// `parse_csv: {columns: [a]}`, or just `parse_csv` when every field has a default.
template <typename Variant>
struct Keyed {
  Variant value;

  friend bool operator==(const Keyed&, const Keyed&) = default;
};

// The names of an enum's values in YAML. Specialise it beside the enum:
//
//   template <>
//   struct config::EnumNames<Device> {
//     static constexpr std::pair<Device, std::string_view> kNames[] = {{Device::kCpu, "cpu"}, ...};
//   };
template <typename Enum>
struct EnumNames;

}  // namespace tidemill::config
