#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>

#include "fmt/format.h"

#include "expressions/kernels.h"
#include "expressions/kernels/loops.h"
#include "expressions/read_values.h"

namespace tidemill::expressions {

namespace {

template <typename T, auto kFormat>
void ToText(const Step& step, Registers& rows) {
  const T* const in = rows.In<T>(step.from[0]);
  auto* const out = rows.Out<std::string_view>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    if (IsNull(in[i])) {
      out[i] = {};
      continue;
    }
    fmt::memory_buffer text;
    kFormat(in[i], text);
    out[i] = rows.texts().Copy({text.data(), text.size()});
  }
}

void AppendTime(int64_t micros, fmt::memory_buffer& text) {
  fmt::format_to(std::back_inserter(text), "{}", FormatTimestamp({micros}));
}

}  // namespace

Step::Kernel NumberToText() {
  return &ToText<double, [](double value, fmt::memory_buffer& text) {
    fmt::format_to(std::back_inserter(text), "{}", value);
  }>;
}

Step::Kernel WholeToText() {
  return &ToText<int64_t, [](int64_t value, fmt::memory_buffer& text) {
    fmt::format_to(std::back_inserter(text), "{}", value);
  }>;
}

Step::Kernel TruthToText() {
  return &ToText<Truth, [](Truth value, fmt::memory_buffer& text) {
    fmt::format_to(std::back_inserter(text), "{}", value == Truth::kTrue);
  }>;
}

Step::Kernel TimeToText() { return &ToText<int64_t, &AppendTime>; }

Step::Kernel TextToNumber() {
  return &MapRows<std::string_view, double, [](std::string_view text) {
    return IsNull(text) ? kNullNumber : ReadNumber(text).value_or(kNullNumber);
  }>;
}

Step::Kernel TextToNumberAsSet() {
  return [](const Step& step, Registers& rows) {
    const auto& notation = static_cast<const NotationSetting&>(*step.setting).notation;
    const auto* const in = rows.In<std::string_view>(step.from[0]);
    auto* const out = rows.Out<double>(step.into);
    for (int64_t i = 0; i < rows.num_rows(); ++i) {
      out[i] = IsNull(in[i]) ? kNullNumber : ReadNumber(in[i], notation).value_or(kNullNumber);
    }
  };
}

Step::Kernel TextToWhole() {
  return &MapRows<std::string_view, int64_t, [](std::string_view text) {
    return IsNull(text) ? kNullWhole : ReadWhole(text).value_or(kNullWhole);
  }>;
}

}  // namespace tidemill::expressions
