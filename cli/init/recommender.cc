#include "cli/init/recommender.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "absl/strings/ascii.h"
#include "fmt/format.h"
#include "fmt/ranges.h"

#include "records/columns/column_kind.h"

namespace tidemill::cli {
namespace {

constexpr int64_t kMostBuckets = int64_t{1} << 17;
// Fewer ids than this fit a one_hot.
constexpr int64_t kFewIds = 50;

bool HasWord(const ColumnFacts& facts, std::span<const std::string_view> words) {
  const std::string lower = absl::AsciiStrToLower(facts.name);
  return std::ranges::any_of(
      words, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool NamesUsers(const ColumnFacts& facts) {
  constexpr std::array<std::string_view, 14> kWords = {
      "user",   "customer", "member", "visitor",  "reviewer", "reader", "kunde",
      "nutzer", "account",  "viewer", "listener", "client",   "buyer",  "person"};
  return HasWord(facts, kWords);
}

bool NamesItems(const ColumnFacts& facts) {
  constexpr std::array<std::string_view, 22> kWords = {
      "item",  "movie", "film",    "product", "book",  "song",    "track",      "artist",
      "video", "asin",  "isbn",    "article", "imdb",  "sku",     "restaurant", "recipe",
      "game",  "anime", "artikel", "listing", "page_", "business"};
  return HasWord(facts, kWords);
}

// Whether values are ids that come back: whole numbers or texts without blanks.
bool AreIds(const ColumnFacts& facts) {
  const bool whole = facts.all_whole() && facts.num_numbers == facts.num_values();
  const bool texts = facts.kind == ColumnKind::kManyValues || facts.kind == ColumnKind::kCategory;
  const bool words = facts.num_words > facts.num_values() * 3 / 2;
  return (whole || texts) && !words && facts.kind != ColumnKind::kCounter &&
         facts.num_different > kFewIds && facts.num_different * 3 < facts.num_values() * 2;
}

// Room for twice the ids, so that few share an embedding; there may be more than were seen.
int64_t BucketsFor(const ColumnFacts& facts) {
  const auto buckets = std::bit_ceil(static_cast<uint64_t>(4 * facts.num_different));
  return std::clamp<int64_t>(static_cast<int64_t>(buckets), 1024, kMostBuckets);
}

}  // namespace

std::vector<IdColumn> FindUsersAndItems(std::span<const ColumnFacts> facts,
                                        std::span<const size_t> taken) {
  std::vector<IdColumn> found;
  bool users = false, items = false;
  int64_t others = 0;
  for (size_t column = 0; column < facts.size(); ++column) {
    const ColumnFacts& seen = facts[column];
    if (std::ranges::find(taken, column) != taken.end() || !AreIds(seen)) continue;
    const bool is_user = NamesUsers(seen);
    const bool is_item = !is_user && NamesItems(seen);
    const bool is_code = NamesCodes(seen.name);
    if (!is_user && !is_item && !is_code) continue;
    users |= is_user;
    items |= is_item;
    others += !is_user && !is_item;
    found.push_back({.column = column, .buckets = BucketsFor(seen)});
  }
  // One of both may have any name of a code.
  const bool both = (users && items) || ((users || items) && others > 0);
  return both ? found : std::vector<IdColumn>();
}

}  // namespace tidemill::cli
