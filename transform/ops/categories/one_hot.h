// one_hot: turns a category into a row of zeros with a one at its place.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/types.h"
#include "transform/engine/graph_op.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

enum class UnknownCategory { kZeros, kBadSample };

struct OneHotSpec {
  static constexpr std::string_view kType = "one_hot";
  static constexpr std::string_view kDoc =
      "Makes float32 rows with a 1 at the place of the category. Give the categories in one of "
      "four ways. `categories` lists texts. `categories_file` names a file with one category on "
      "each line. `classes: n` means the whole numbers 0 to n-1. `learn: n` takes the n most "
      "frequent texts of the selected samples; they are learned before training and stored with "
      "the model. A missing field, an empty text, is none of them: it makes zeros.";
  static constexpr bool kIsRandom = false;
  std::string column = {};
  std::vector<std::string> categories = {};
  std::string categories_file = {};
  int64_t classes = 0;
  int64_t learn = 0;
  UnknownCategory unknown = UnknownCategory::kZeros;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of texts, or of whole numbers with `classes`.",
          config::Limits{.required = true, .example = "weather"});
    field("categories", categories, "The texts, in the order of their places.",
          config::Limits{.example = "[sun, rain, fog]"});
    field("categories_file", categories_file,
          "Path of a text file with the categories, relative to the pipeline's folder. It may have "
          "up to 20,000 lines. It is read once, when the pipeline is checked, and its lines "
          "replace it.",
          config::Limits{.example = "stations.txt"});
    field("classes", classes, "Number of classes of a column of whole numbers.",
          config::Limits{.min = 0, .max = 1e6});
    field("learn", learn, "Number of categories to learn.", config::Limits{.min = 0, .max = 1e6});
    field(
        "unknown", unknown,
        "What a value becomes that is not a category. With `learn`, a missing field makes zeros in "
        "either case.");
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const OneHotSpec&, const OneHotSpec&) = default;
};

template <>
class GraphOpOf<OneHotSpec> final : public GraphOpBase<OneHotSpec> {
 public:
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override;
};

// Makes an op reject each value that otherwise becomes zeros. Returns false for an op that makes
// none.
bool RejectUnknownCategories(OpSpec& op);

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::UnknownCategory> {
  static constexpr std::pair<tidemill::transform::UnknownCategory, std::string_view> kNames[] = {
      {tidemill::transform::UnknownCategory::kZeros, "zeros"},
      {tidemill::transform::UnknownCategory::kBadSample, "bad_sample"}};
};
