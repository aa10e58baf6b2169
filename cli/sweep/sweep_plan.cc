#include "cli/sweep/sweep_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fmt/format.h"

namespace tidemill::cli {
namespace {

std::string_view Stripped(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Knows at each byte of a YAML value whether it is within brackets, braces or quotes.
class Nesting {
 public:
  void Take(char c) {
    if (quote_ != 0) {
      if (c == quote_ && !escaped_) quote_ = 0;
      escaped_ = quote_ == '"' && c == '\\' && !escaped_;
    } else if ((c == '"' || c == '\'') && at_begin_) {
      quote_ = c;
    } else if (c == '[' || c == '{') {
      ++depth_;
    } else if (c == ']' || c == '}') {
      --depth_;
    }
    // A quote within a word is a letter of it.
    if (c != ' ') at_begin_ = c == '[' || c == '{' || c == ',' || c == ':';
  }
  bool IsWithin() const { return depth_ != 0 || quote_ != 0; }

 private:
  int depth_ = 0;
  char quote_ = 0;
  bool escaped_ = false;
  bool at_begin_ = true;
};

std::vector<Setting> SettingsOf(const std::vector<SweepAxis>& axes) {
  std::vector<Setting> settings = {{}};
  for (const SweepAxis& axis : axes) {
    std::vector<Setting> longer;
    for (const Setting& setting : settings) {
      for (const std::string& value : axis.values) {
        longer.push_back(setting);
        longer.back().push_back({.path = axis.key, .value = value});
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

// The number of places, as far as the limit needs it.
size_t CountPlaces(const std::vector<SweepAxis>& axes, size_t num_seeds) {
  size_t count = std::max<size_t>(num_seeds, 1);
  for (const SweepAxis& axis : axes) {
    count *= axis.values.size();
    if (count > kMaxSettings) break;
  }
  return count;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> SplitValues(std::string_view text) {
  std::vector<std::string> values;
  Nesting nesting;
  size_t begin = 0;
  const auto add = [&](size_t end) {
    values.emplace_back(Stripped(text.substr(begin, end - begin)));
    begin = end + 1;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' && !nesting.IsWithin()) add(i);
    nesting.Take(text[i]);
  }
  if (nesting.IsWithin()) {
    return InvalidArgument("'{}' has a bracket or a quote that is not closed", text);
  }
  add(text.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) {
      return InvalidArgument("'{}' has an empty value; write '\"\"' for an empty text", text);
    }
    if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) !=
        values.begin() + static_cast<std::ptrdiff_t>(i)) {
      return InvalidArgument("'{}' has {} twice", text, values[i]);
    }
  }
  return values;
}

absl::StatusOr<std::vector<SweepAxis>> AxesOf(const std::vector<std::string>& texts) {
  std::vector<SweepAxis> axes;
  std::set<std::string> keys;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) return InvalidArgument("'{}' sets nothing", text);
    SweepAxis axis{.key = text.substr(0, equals)};
    auto values = SplitValues(std::string_view(text).substr(equals + 1));
    if (!values.ok()) {
      return InvalidArgument("--set {}: {}", axis.key, std::string(values.status().message()));
    }
    axis.values = *std::move(values);
    if (!keys.insert(axis.key).second) {
      return InvalidArgument("--set {} is given twice; write all its values after one '='",
                             axis.key);
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

absl::StatusOr<SweepPlan> SweepPlan::Make(std::vector<SweepAxis> axes, std::vector<int64_t> seeds) {
  const auto sweeps_seed = [](const SweepAxis& axis) { return axis.key == kSeedKey; };
  if (!seeds.empty() && std::ranges::any_of(axes, sweeps_seed)) {
    return InvalidArgument("--seeds sweeps {} and so does --set; give one", kSeedKey);
  }
  const size_t count = CountPlaces(axes, seeds.size());
  if (count > kMaxSettings) {
    return InvalidArgument("the sweep has more than {} runs; sweep fewer values or seeds",
                           kMaxSettings);
  }
  if (count < 2) {
    return InvalidArgument(
        "there is one setting, and nothing to compare; write several values, such as --set "
        "training.optimizer.lr=1e-3,1e-2, or --seeds 3");
  }
  SweepPlan plan;
  plan.settings_ = SettingsOf(axes);
  plan.axes_ = std::move(axes);
  plan.seeds_ = std::move(seeds);
  return plan;
}

Setting SweepPlan::ValuesAt(size_t place) const {
  Setting values = settings_[SettingAt(place)];
  if (seeds_.empty()) return values;
  values.push_back({.path = kSeedKey, .value = std::to_string(seeds_[place / settings_.size()])});
  return values;
}

std::string TextOf(const SweepPlan& plan, const Setting& setting) {
  std::string text;
  for (size_t i = 0; i < setting.size(); ++i) {
    if (i < plan.axes().size() && plan.axes()[i].values.size() < 2) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", setting[i].path, setting[i].value);
  }
  return text.empty() ? "the pipeline" : text;
}

}  // namespace tidemill::cli
