// lookup: joins a table to the samples.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "config/types.h"
#include "transform/engine/graph_op.h"
#include "transform/ops/tables/joined_table.h"
#include "transform/ops/tables/lookup_table.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

enum class MissingKey { kNull, kBadSample, kDefault };

struct LookupSpec {
  static constexpr std::string_view kType = "lookup";
  static constexpr std::string_view kDoc =
      "Makes columns from the row of a table that has the sample's key. The table is a CSV file in "
      "UTF-8 with a header. A column of it holds numbers if its first field that is not empty is a "
      "number, else texts. Numbers are float32, or float64 if a whole number among them needs it. "
      "In a column of floats, an empty field and one of `missing_words` is a missing number. "
      "Without `as_of` each key has "
      "one row. With it, each sample gets the newest row of its key that held at the sample's "
      "event time, and never a later one. The columns that the op names are kept with the "
      "pipeline.";
  static constexpr bool kIsRandom = false;
  std::string table = {};
  std::string content = {};
  config::NamePairs on = {};
  config::NamePairs columns = {};
  MissingKey missing = MissingKey::kNull;
  std::map<std::string, config::OpenValue> defaults = {};
  ColumnTypes dtypes = {};
  std::string delimiter = ",";
  std::string decimal = ".";
  std::string as_of = {};
  std::optional<std::string> until = std::nullopt;
  std::optional<std::vector<std::string>> missing_words = std::nullopt;
  std::string format = {};
  std::string time_zone = {};
  // No key of its section. Whether a sample without a row is bad, whatever `missing` says.
  bool must_match = false;

  void Fields(auto&& field) {
    field("table", table,
          "The file, below the pipeline's folder or a folder with data. It may have 64 MiB. It is "
          "read once, when the pipeline is checked.",
          config::Limits{.example = "stations.csv"});
    field("content", content,
          "Instead of `table`, its columns, compressed and in base64. The pipeline is kept with "
          "this.");
    field("on", on,
          "The key: a column of texts or whole numbers, or several, each with its name in the "
          "table if that is another one: `{sensor: station}`.",
          config::Limits{.required = true, .example = "station", .min_items = 1});
    field("columns", columns,
          "Columns of the table to add, each with a name to give it if that is another one: "
          "`{height: station_height}`.",
          config::Limits{.required = true, .example = "[height, region]", .min_items = 1});
    field("missing", missing,
          "What follows where the table has no row for the sample, or an empty number in it. "
          "`null`: the value in `default`, or else a missing number, for which fill_missing is. "
          "`bad_sample`: the sample is bad. `default`: the values in `default`, which has one for "
          "each column.");
    field("default", defaults, "Values of columns where the table has none.",
          config::Limits{.example = "{height: 0, region: unknown}"});
    field("dtypes", dtypes, "Types of columns that are not to follow from their first fields.",
          config::Limits{.example = "{region: string}"});
    field("delimiter", delimiter, "The separator of the fields of the table.");
    field("decimal", decimal,
          "The separator before the fraction of a number in the table: \".\" or \",\".");
    field("as_of", as_of,
          "Column of the table with the time from which the row holds, or was known. Where a clock "
          "is set back and shows a time twice, it means the later one. An empty field, or "
          "`-infinity`, means since ever.",
          config::Limits{.example = "valid_from"});
    field("until", until,
          "With `as_of`: column of the table with the time from which the row holds no more. By "
          "default a row holds until the next one of its key begins, and so it does where that is "
          "earlier. An empty field, or `infinity`, means forever.",
          config::Limits{.example = "valid_to"});
    field(
        "missing_words", missing_words,
        "Words that mean a missing number, in capital or small letters, as an empty field does. By "
        "default [NA, N/A, NaN, \"null\"]. In a column of texts they are texts.",
        config::Limits{.example = "[NA, \"-999\"]"});
    field("format", format,
          "How these times are written, as in `event_time.format`. Empty: RFC 3339, a plain date, "
          "or another of the ways that docs/guides/times.md lists.",
          config::Limits{.example = "%d.%m.%Y"});
    field("time_zone", time_zone,
          "Zone of these times that do not name one. Empty: that of the dataset that the pipeline "
          "trains on, `event_time.time_zone`.");
  }
  void Check(config::Problems& problems) const;
  void TakeClock(const std::string& zone) {
    if (time_zone.empty()) time_zone = as_of.empty() ? "UTC" : zone;
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;
  // Also gives the table that it has read or found.
  std::unique_ptr<Op> Build(OpBuilder& builder, std::shared_ptr<const JoinedTable>& kept) const;
  void TakeFiles(config::NamedFiles& files, config::Problems& problems);

  friend bool operator==(const LookupSpec&, const LookupSpec&) = default;
};

template <>
class GraphOpOf<LookupSpec> final : public GraphOpBase<LookupSpec> {
 public:
  std::unique_ptr<Op> Build(OpBuilder& builder) const override;
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override {
    spec_.TakeFiles(files, problems);
  }
  std::optional<ByHand> MakeByHand(const std::string& file) const override;

 private:
  // The table of the last graph that was built of the op or of a copy, so that the next one need
  // not read it again.
  struct Kept {
    Mutex mutex;
    std::shared_ptr<const JoinedTable> table ABSL_GUARDED_BY(mutex);
  };
  const std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

// Makes an op reject each sample without a row, instead of making other values for it. Returns
// false for an op that does not.
bool RejectUnknownKeys(OpSpec& op);

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::MissingKey> {
  using Missing = tidemill::transform::MissingKey;
  static constexpr std::pair<Missing, std::string_view> kNames[] = {
      {Missing::kNull, "null"},
      {Missing::kBadSample, "bad_sample"},
      {Missing::kDefault, "default"}};
};
