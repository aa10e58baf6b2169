#include "transform/ops/tables/lookup.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/digest.h"
#include "base/mutex.h"
#include "config/documents/problems.h"
#include "config/values/open_value.h"
#include "transform/ops/tables/joined_table.h"
#include "transform/ops/tables/lookup_op.h"

// Which row of its key a sample gets with `as_of` and `until`: the newest that has begun at the
// sample's event time, and none once that one has ended, even if an older row has not ended.
//
//   row 1     [------------------------------------)
//   row 2               [---------------)
//   gets      |  row 1  |     row 2     |   none

namespace tidemill::transform {
namespace {

constexpr size_t kMaxDelimiterBytes = 8;

TableForm FormOf(const LookupSpec& spec) {
  TableForm form{
      .name = spec.table.empty() ? "the table" : spec.table,
      .dialect = {.delimiter = spec.delimiter, .numbers = {.decimal = spec.decimal.front()}},
      .types = spec.dtypes,
      .as_of = spec.as_of,
      .until = spec.until.value_or(""),
      // The later of two times, so that no row is seen too early.
      .times = {.format = spec.format,
                .time_zone = spec.time_zone.empty() ? "UTC" : spec.time_zone,
                .ambiguous = AmbiguousTime::kSecond}};
  if (spec.missing_words) form.missing = *spec.missing_words;
  for (const auto& pair : spec.on.pairs) form.keys.push_back(pair.elsewhere);
  for (const auto& pair : spec.columns.pairs) form.values.push_back(pair.name);
  return form;
}

// Tables by their contents, which the graphs of a process share.
class SharedTables {
 public:
  std::shared_ptr<const JoinedTable> Find(const std::string& key) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    const auto found = tables_.find(key);
    return found == tables_.end() ? nullptr : found->second.lock();
  }
  void Share(const std::string& key, const std::shared_ptr<const JoinedTable>& table)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    std::erase_if(tables_, [](const auto& entry) { return entry.second.expired(); });
    tables_[key] = table;
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::weak_ptr<const JoinedTable>> tables_ ABSL_GUARDED_BY(mutex_);
};

SharedTables& OfThisProcess() {
  static auto* const tables = new SharedTables();
  return *tables;
}

// All that a joined table depends on.
std::string IdentityOf(const LookupSpec& spec, const std::vector<bool>& whole) {
  const std::vector<int> kinds(whole.begin(), whole.end());
  std::vector<std::string> types;
  for (const auto& [name, type] : spec.dtypes) {
    types.push_back(name);
    types.push_back(std::to_string(static_cast<int>(type)));
  }
  const TableForm form = FormOf(spec);
  const std::vector<std::string> written = {spec.delimiter, spec.decimal, spec.as_of,
                                            form.until,     spec.format,  form.times.time_zone};
  // Ranges are formatted in quotes, so that no text can pass for several.
  return Sha256(fmt::format("{} {} {} {} {} {}\n{}", kinds, form.keys, form.values, types, written,
                            form.missing, spec.content));
}

std::variant<std::string, TableProblem> TextOf(const std::string& content, const TableForm& form) {
  std::string bytes;
  if (!absl::Base64Unescape(content, &bytes)) {
    return TableProblem{.key = "content",
                        .message = "is not base64",
                        .hint = "give the name of the file as `table` instead"};
  }
  absl::StatusOr<std::string> text = UnpackTable(bytes);
  if (text.ok()) return *std::move(text);
  return TableProblem{
      .key = "table",
      .message = fmt::format("{} {}", form.name, std::string(text.status().message()))};
}

std::variant<std::shared_ptr<const JoinedTable>, TableProblem> Join(
    const LookupSpec& spec, const std::vector<bool>& whole) {
  const std::string identity = IdentityOf(spec, whole);
  if (auto shared = OfThisProcess().Find(identity)) return shared;
  const TableForm form = FormOf(spec);
  auto text = TextOf(spec.content, form);
  if (auto* problem = std::get_if<TableProblem>(&text)) return std::move(*problem);
  auto joined = JoinedTable::Read(std::get<std::string>(text), form, whole);
  if (const auto* table = std::get_if<std::shared_ptr<const JoinedTable>>(&joined)) {
    OfThisProcess().Share(identity, *table);
  }
  return joined;
}

// Whether the table fits beside those of earlier ops. Reports when not.
bool Fits(const JoinedTable& joined, OpBuilder& builder) {
  constexpr auto kMax = static_cast<int64_t>(kMaxTableBytes);
  // Short rows cost more in memory than in the text.
  constexpr int64_t kRowBytes = kMax / kMaxTableRows;
  const LookupTable& table = joined.table();
  const int64_t held = builder.HoldTable(std::max(table.text_bytes, table.num_rows * kRowBytes));
  if (held <= kMax) return true;
  builder.Problem(
      "table",
      fmt::format("with this one, the tables of the graph have {} bytes, of {} at least "
                  "in each row, but at most {} are allowed",
                  held, kRowBytes, kMax),
      "leave out everything that is not needed");
  return false;
}

std::vector<BoundColumn> KeysOf(const LookupSpec& spec, OpBuilder& builder) {
  std::vector<BoundColumn> keys;
  for (const auto& pair : spec.on.pairs) {
    const std::optional<BoundColumn> key = builder.Input("on", pair.name);
    if (!key) continue;
    const ColumnSchema& schema = key->schema;
    if (!schema.shape.empty()) {
      builder.Problem("on",
                      fmt::format("column {} has {} values in a row", schema.name, schema.Width()),
                      "a key has one in each row");
    } else if (IsFloat(schema.type)) {
      builder.Problem("on",
                      fmt::format("column {} is {}, but keys are texts or whole numbers",
                                  schema.name, Describe(schema.type)),
                      "parse it with dtype: string or int64");
    } else {
      keys.push_back(*key);
    }
  }
  return keys;
}

// The value where the table has none for a column. Reports what is not such a value.
LookupOp::Column::Fallback FallbackOf(const LookupSpec& spec, const std::string& name, CsvType type,
                                      OpBuilder& builder) {
  const auto found = spec.defaults.find(name);
  if (found == spec.defaults.end()) {
    const bool has_null = type == CsvType::kFloat32 || type == CsvType::kFloat64;
    if (spec.missing == MissingKey::kNull && !has_null) {
      builder.Problem("missing",
                      fmt::format("column {} holds {}, of which none can be null", name,
                                  type == CsvType::kString ? "texts" : "whole numbers"),
                      fmt::format("write default: {{{}: {}}}, or missing: bad_sample", name,
                                  type == CsvType::kString ? "unknown" : "0"));
    }
    return {};
  }
  const std::string at = fmt::format("default.{}", name);
  if (found->second.is_list) {
    builder.Problem(at, "is a list", "give one value");
    return {};
  }
  const config::OpenValue::Scalar& scalar = found->second.scalars[0];
  if (type == CsvType::kString) return scalar.text;
  double number = 0;
  int64_t whole = 0;
  const bool is_whole = type == CsvType::kInt64;
  const auto mismatch =
      is_whole ? config::ReadOpen(scalar, whole) : config::ReadOpen(scalar, number);
  if (mismatch) {
    builder.Problem(
        at, mismatch->message,
        fmt::format("column {} holds {}", name, is_whole ? "whole numbers" : "numbers"));
    return {};
  }
  if (is_whole) return whole;
  return number;
}

CsvType TypeIn(const ColumnTypes& types, const std::string& name) {
  const auto found = types.find(name);
  return found == types.end() ? CsvType::kFloat32 : found->second;
}

std::vector<LookupOp::Column> ColumnsOf(const LookupSpec& spec, bool known, OpBuilder& builder) {
  std::vector<LookupOp::Column> columns;
  for (size_t i = 0; i < spec.columns.pairs.size(); ++i) {
    const auto& [name, made] = spec.columns.pairs[i];
    const CsvType type = TypeIn(spec.dtypes, name);
    LookupOp::Column& column = columns.emplace_back();
    column.place = i;
    // Without its table, the type of a column may be a guess.
    if (known) column.fallback = FallbackOf(spec, name, type, builder);
    column.output = builder.Output("columns", {.name = made, .type = ColumnType(type)});
  }
  return columns;
}

// Returns the op with its own table in the place of one that could not be read, so that the rest of
// the graph is checked. It finds nothing wrong that follows from the table alone.
LookupSpec WithStandIn(LookupSpec spec, const TableForm& form, ColumnTypes types) {
  spec.dtypes = std::move(types);
  spec.as_of.clear();
  spec.until.reset();
  spec.missing = MissingKey::kDefault;
  spec.defaults.clear();
  for (const std::string& name : form.values) {
    spec.dtypes.try_emplace(name, CsvType::kFloat32);
    spec.defaults[name] = {.is_list = false, .scalars = {{.text = "0", .quoted = false}}};
  }
  const absl::StatusOr<std::string> packed = PackTable(StandInTable(form));
  if (packed.ok()) spec.content = absl::Base64Escape(*packed);
  return spec;
}

void CheckNames(std::string_view key, std::span<const std::string> names,
                config::Problems& problems) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) problems.Add(key, fmt::format("names {} twice", name));
  }
}

// Notes keys of a map that are none of the columns.
template <typename Map>
void CheckAmong(std::string_view key, const Map& map, const std::vector<std::string>& columns,
                config::Problems& problems) {
  for (const auto& [name, value] : map) {
    if (std::ranges::find(columns, name) != columns.end()) continue;
    std::string hint = config::DidYouMean(name, columns);
    if (hint.empty()) hint = fmt::format("columns: {}", fmt::join(columns, ", "));
    problems.Add(config::JoinPath(key, name), "is not one of the added columns", hint);
  }
}

}  // namespace

void LookupSpec::Check(config::Problems& problems) const {
  if (table.empty() == content.empty()) {
    problems.Add("", "needs either table or content", "write {table: stations.csv}");
  }
  std::vector<std::string> keys, values, made;
  for (const auto& pair : on.pairs) keys.push_back(pair.elsewhere);
  for (const auto& pair : columns.pairs) {
    values.push_back(pair.name);
    made.push_back(pair.elsewhere);
  }
  CheckNames("on", keys, problems);
  CheckNames("columns", values, problems);
  CheckNames("columns", made, problems);
  CheckAmong("default", defaults, values, problems);
  CheckAmong("dtypes", dtypes, values, problems);
  if (missing == MissingKey::kBadSample && !defaults.empty()) {
    problems.Add("default", "does nothing with missing: bad_sample", "remove one of them");
  }
  for (const std::string& name : values) {
    if (missing != MissingKey::kDefault || defaults.contains(name)) continue;
    problems.Add("default", fmt::format("has no value for {}", name),
                 fmt::format("write default: {{{}: ...}}", name));
  }
  if (as_of.empty() && until) {
    problems.Add("until", "does nothing without as_of", "remove it, or name the column of times");
  }
  if (as_of.empty() && !format.empty()) {
    problems.Add("format", "does nothing without as_of", "remove it, or name the column of times");
  }
  if (as_of.empty() && !time_zone.empty() && time_zone != "UTC") {
    problems.Add("time_zone", "does nothing without as_of", "remove it");
  }
  if (delimiter.empty() || delimiter.size() > kMaxDelimiterBytes ||
      delimiter.find_first_of("\r\n\"") != std::string::npos) {
    problems.Add("delimiter", "is not one to eight bytes of a line",
                 "write \",\" or \";\" or \"\\t\"");
  }
  if (decimal != "." && decimal != ",") {
    problems.Add("decimal", "is neither a point nor a comma", "write \".\" or \",\"");
  }
}

std::unique_ptr<Op> LookupSpec::Build(OpBuilder& builder) const {
  std::shared_ptr<const JoinedTable> kept;
  return Build(builder, kept);
}

std::unique_ptr<Op> LookupSpec::Build(OpBuilder& builder,
                                      std::shared_ptr<const JoinedTable>& kept) const {
  const std::vector<BoundColumn> keys = KeysOf(*this, builder);
  if (!table.empty()) {
    builder.Problem("table", "was not read", "check the pipeline file that names this file");
  }
  std::vector<bool> whole;
  for (const BoundColumn& key : keys) whole.push_back(!IsText(key.schema.type));
  std::shared_ptr<const JoinedTable> joined;
  const bool has_keys = keys.size() == on.pairs.size() && !keys.empty();
  if (has_keys && !content.empty()) {
    auto made = Join(*this, whole);
    if (auto* found = std::get_if<std::shared_ptr<const JoinedTable>>(&made)) {
      joined = std::move(*found);
    } else {
      const TableProblem& problem = std::get<TableProblem>(made);
      builder.Problem(problem.key, problem.message, problem.hint);
    }
  }
  kept = joined;
  if (joined != nullptr && !Fits(*joined, builder)) joined = nullptr;
  LookupSpec typed = *this;
  typed.content.clear();
  if (joined != nullptr) typed.dtypes = joined->table().types;
  std::vector<LookupOp::Column> outputs = ColumnsOf(typed, joined != nullptr, builder);
  if (joined == nullptr) return nullptr;
  const bool must_have = missing == MissingKey::kBadSample;
  return std::make_unique<LookupOp>(std::move(joined), keys, std::move(outputs),
                                    must_have || must_match, must_have);
}

void LookupSpec::TakeFiles(config::NamedFiles& files, config::Problems& problems) {
  if (table.empty()) return;
  const TableForm form = FormOf(*this);
  const std::string name = std::exchange(table, {});
  std::optional<ColumnTypes> types;
  const auto take = [&](const std::string& text) {
    auto read = CheckTable(text, form);
    if (auto* problem = std::get_if<TableProblem>(&read)) {
      problems.Add(problem->key, problem->message, problem->hint);
      *this = WithStandIn(*this, form, std::move(problem->types));
      return false;
    }
    types = std::get<ColumnTypes>(std::move(read));
    return true;
  };
  const auto pack = [&](std::string text) -> std::optional<std::string> {
    if (!take(text)) return std::nullopt;
    text = NarrowTable(text, form);
    absl::StatusOr<std::string> packed = PackTable(text);
    if (packed.ok()) return *std::move(packed);
    problems.Add("table", std::string(packed.status().message()));
    return std::nullopt;
  };
  std::string contents = fmt::format("{}; {}; {}; {}", fmt::join(form.keys, ", "),
                                     fmt::join(form.values, ", "), as_of, delimiter);
  if (until) contents += "; " + *until;
  const auto packed = files.ReadPacked(
      {.name = name, .most = kMaxTableBytes, .contents = contents, .key = "table", .pack = pack},
      problems);
  if (packed && !types) {
    // It came packed.
    const absl::StatusOr<std::string> text = UnpackTable(*packed);
    if (!text.ok()) {
      problems.Add("table", fmt::format("{} {}", name, std::string(text.status().message())));
    } else if (!take(*text)) {
      return;
    }
  }
  if (!packed || !types) {
    if (content.empty()) *this = WithStandIn(*this, form, std::move(types).value_or(dtypes));
    return;
  }
  content = absl::Base64Escape(*packed);
  dtypes = *std::move(types);
}

namespace {

// "`station` equals the sample's `sensor`"
std::string KeysText(const LookupSpec& spec) {
  std::vector<std::string> texts;
  for (const auto& pair : spec.on.pairs) {
    texts.push_back(fmt::format("`{}` equals the sample's `{}`", pair.elsewhere, pair.name));
  }
  return fmt::format("{}", fmt::join(texts, " and "));
}

std::string ColumnsText(const LookupSpec& spec) {
  std::vector<std::string> texts;
  for (const auto& pair : spec.columns.pairs) {
    texts.push_back(pair.name == pair.elsewhere
                        ? fmt::format("`{}`", pair.name)
                        : fmt::format("`{}` as `{}`", pair.name, pair.elsewhere));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string TimesText(const LookupSpec& spec) {
  if (spec.as_of.empty()) return "";
  return fmt::format(
      "; of several such rows the one with the latest `{}` that is not after `event_time` (a time "
      "without a zone is one of {}, and the later one where the clock shows it twice; an empty one "
      "is before all others{}){}",
      spec.as_of, spec.time_zone.empty() ? "the dataset's zone" : spec.time_zone,
      spec.format.empty() ? "" : fmt::format("; it is written as `{}`", spec.format),
      spec.until ? fmt::format(", unless its `{}` is at or before `event_time`", *spec.until) : "");
}

// "empty (in a column of numbers also NA, N/A)"
std::string MissingText(const LookupSpec& spec) {
  const std::vector<std::string> words = spec.missing_words.value_or(TableForm().missing);
  return words.empty()
             ? "empty"
             : fmt::format("empty (in a column of numbers also {})", fmt::join(words, ", "));
}

std::string Explain(const LookupSpec& spec, const std::string& file) {
  std::string missing = "a missing number (NaN), or an empty text";
  if (spec.missing == MissingKey::kBadSample || spec.must_match) {
    missing = "nothing: the sample is bad";
  } else if (!spec.defaults.empty()) {
    missing = "the `default` of the op in `spec.yaml`, or else " + missing;
  }
  return fmt::format(
      "Take the row of `{}` (CSV with a header, fields divided by `{}`, fractions by `{}`) in "
      "which "
      "{}{}. It has the columns: {}. Where there is no such row, or its field is {}, the column "
      "is {}.",
      file, spec.delimiter, spec.decimal, KeysText(spec), TimesText(spec), ColumnsText(spec),
      MissingText(spec), missing);
}

}  // namespace

std::optional<ByHand> GraphOpOf<LookupSpec>::MakeByHand(const std::string& file) const {
  std::string bytes;
  if (!absl::Base64Unescape(spec_.content, &bytes)) return std::nullopt;
  absl::StatusOr<std::string> table = UnpackTable(bytes);
  if (!table.ok()) return std::nullopt;
  return ByHand{.text = Explain(spec_, file), .table = *std::move(table)};
}

std::unique_ptr<Op> GraphOpOf<LookupSpec>::Build(OpBuilder& builder) const {
  std::shared_ptr<const JoinedTable> joined;
  std::unique_ptr<Op> op = spec_.Build(builder, joined);
  MutexLock lock(kept_->mutex);
  kept_->table = std::move(joined);
  return op;
}

bool RejectUnknownKeys(OpSpec& op) {
  const LookupSpec* const given = op.As<LookupSpec>();
  if (given == nullptr || given->missing == MissingKey::kBadSample) return false;
  LookupSpec strict = *given;
  strict.must_match = true;
  op = strict;
  return true;
}

}  // namespace tidemill::transform
