#include "models/fitted_text.h"

#include "nlohmann/json.hpp"

namespace tidemill::models {

std::string EncodeFittedText(const transform::FittedState& fitted) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const auto& [op, entries] : fitted.learned()) {
    for (const transform::Learned& entry : entries) {
      Json item = {{"op", op + 1}, {"column", entry.column}, {"statistic", entry.statistic}};
      if (!entry.words.empty()) item["words"] = entry.words;
      if (!entry.numbers.empty()) item["numbers"] = entry.numbers;
      list.push_back(std::move(item));
    }
  }
  const Json text = {{"fitted", std::move(list)}};
  return text.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tidemill::models
