// Formats numbers for the sentences that explain decisions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::supervisor {

// "12,345". Decimals are shown only when there are any: "0.25".
std::string Figure(double number);

// "1 sample", "12,345 samples"
std::string Counted(double number, std::string_view noun);

// "0.8 s", "12 s", "3 min 5 s", "2 h 10 min", "7 d"
std::string Span(double seconds);

}  // namespace tidemill::supervisor
