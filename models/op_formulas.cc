#include "models/op_formulas.h"

#include <algorithm>
#include <string_view>

#include "fmt/format.h"

namespace tidemill::models {
namespace {

struct Formula {
  std::string_view type;
  std::string_view text;
};

// `mean` and other names of statistics are those of fitted.json.
constexpr Formula kFormulas[] = {
    {"parse_csv",
     "the named fields of a record, as numbers of `dtype` or as texts; a text in "
     "`missing` is NaN"},
    {"parse_json",
     "the named fields of an object, as numbers of `dtype` or as texts; a value in "
     "`missing` is NaN"},
    {"fill_missing",
     "x where it is a number, else `filling`, or `number` of the op; with "
     "`indicator` a further column, 1 where x was NaN and else 0"},
    {"standardize", "(x - `mean`) / `std`, in float64"},
    {"normalize",
     "(x * `scale` - `mean`) / `std`, with the settings of the op, by channel where "
     "there are several"},
    {"clip", "min(max(x, `min`), `max`)"},
    {"log1p", "log(1 + x); a negative x counts as 0, or makes a bad sample, as `negative` says"},
    {"cast", "x as `dtype`; fractions are cut off"},
    {"quantile_bins",
     "the number of `bounds` that are not greater than x; with `one_hot` a 1 at "
     "this place of `bins` zeros"},
    {"one_hot",
     "a 1 at the place of x among `categories` (of the op or of fitted.json), or at the "
     "place x of a whole number, and else 0"},
    {"hash_buckets",
     "XXH3-64 with `seed`, modulo `buckets`: of the bytes of a text, or of the eight "
     "bytes (little endian) of a whole number"},
    {"hash_cross",
     "each column's XXH3-64 with `seed`, modulo 2^62; k = the first one, then, in 64 bits, "
     "k * 1000003 + the next one; then XXH3-64 of k modulo `buckets`"},
    {"vocabulary",
     "words are runs of letters, marks and digits, in small letters with "
     "`lowercase`; all runs of 1 to `ngrams` of them, the first `length`, each as its "
     "place among `words` plus 2, or 1 for others; 0 fills the rest"},
    {"hash_tokens", "as vocabulary, but each run as XXH3-64 with `seed` modulo `buckets`, plus 1"},
    {"time_features",
     "of the event time (microseconds since 1970-01-01 UTC), on the clock of `time_zone`: minute 0 "
     "to 59, hour 0 to 23, weekday from 0 for Monday, day from 1, month from 1, year; "
     "year_fraction "
     "= (time - New Year's midnight) / (next New Year's midnight - New Year's midnight). With "
     "`cyclic` a part p with the period P (minute 60, hour 24, weekday 7, day 31, month 12, "
     "year_fraction 1) gives sin(2 pi p / P), cos(2 pi p / P), and the year is one number"},
    {"compute",
     "the expressions, in the language of Tidemill's guide columns.md; null is NaN, and "
     "true is 1"},
    {"filter", "samples for which the expression is not true are left out"},
    {"stack", "the columns one after another, in their order"},
    {"label", "the label, which predictions do not need"}};

}  // namespace

std::string TableFileOf(const transform::GraphSpec& graph, size_t op) {
  return fmt::format("op{}_{}.csv", op + 1, graph[op].value.type());
}

std::optional<transform::ByHand> TableOf(const transform::GraphSpec& graph, size_t op) {
  return graph[op].value->MakeByHand(TableFileOf(graph, op));
}

std::string ListFormulas(const transform::GraphSpec& graph) {
  std::string list;
  for (size_t i = 0; i < graph.size(); ++i) {
    const std::string_view type = graph[i].value.type();
    const auto* const found = std::ranges::find(kFormulas, type, &Formula::type);
    std::string text = found == std::end(kFormulas) ? "see Tidemill's reference of the op."
                                                    : fmt::format("{}.", found->text);
    if (const auto table = TableOf(graph, i)) text = table->text;
    list += fmt::format("{}. `{}`: {}\n", i + 1, type, text);
  }
  return list;
}

}  // namespace tidemill::models
