#include "storage/formats/tar/tar_left_over.h"

#include <algorithm>

#include "fmt/format.h"

#include "records/text.h"
#include "xxhash.h"

namespace tidemill::storage {

namespace {

constexpr size_t kMaxShownText = 200;
// One unused member per this many samples is not many.
constexpr int64_t kFew = 10;

uint64_t HashOf(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace

void TarLeftOver::AddNameless(std::string_view path) {
  if (unused_.num_members++ > 0) return;
  unused_.first = fmt::format("'{}': its name is not a key, a dot and an extension",
                              AsText(path, kMaxShownText));
}

void TarLeftOver::AddUnused(std::string_view key, bool is_sample, bool has_named_end,
                            int64_t num_members, std::string_view first_path) {
  if (num_members == 0) return;
  Count& count = is_sample ? unused_ : of_no_sample_;
  if (!is_sample) has_named_end_ |= has_named_end;
  count.num_members += num_members;
  if (!count.first.empty()) return;
  count.first = fmt::format("'{}': key '{}', extension '{}'", AsText(first_path, kMaxShownText),
                            AsText(key, kMaxShownText),
                            AsText(first_path.substr(key.size() + 1), kMaxShownText));
}

void TarLeftOver::Halves::Add(std::string_view key) {
  if (all.empty()) first_key = key;
  all.push_back({HashOf(key), HashOf(key.substr(key.rfind('/') + 1))});
}

void TarLeftOver::AddWithoutPayload(std::string_view key) { without_payload_.Add(key); }

void TarLeftOver::AddPayloadAlone(std::string_view key) { payload_alone_.Add(key); }

int64_t TarLeftOver::CountSplit(uint64_t Half::*part) {
  std::ranges::sort(payload_alone_.all, {}, part);
  return std::ranges::count_if(without_payload_.all, [&](const Half& half) {
    return std::ranges::binary_search(payload_alone_.all, half.*part, {}, part);
  });
}

void TarLeftOver::ReportSplit(IndexedFile& found) {
  if (without_payload_.all.empty() || payload_alone_.all.empty()) return;
  const std::string first = AsText(without_payload_.first_key, kMaxShownText);
  if (const int64_t split = CountSplit(&Half::key); split > 0) {
    found.AddRemark(fmt::format("the members of {} samples are not next to each other, such as "
                                "those of '{}': write the archive with tar --sort=name",
                                split, first),
                    /*num_members=*/0);
  } else if (const int64_t apart = CountSplit(&Half::name); apart > 0) {
    found.AddRemark(fmt::format("the payloads of {} samples are in another folder than their "
                                "labels or times, such as '{}' and '{}': put the members of a "
                                "sample into one folder, side by side",
                                apart, AsText(payload_alone_.first_key, kMaxShownText), first),
                    /*num_members=*/0);
  }
}

// A file of notes among samples is not a loss. Samples whose names have other dots or extensions
// than the spec says are one.
bool TarLeftOver::MissesSamples(const IndexedFile& found) const {
  return has_named_end_ || found.positions.empty() ||
         kFew * of_no_sample_.num_members > std::ssize(found.positions);
}

void TarLeftOver::Tell(IndexedFile& found) {
  const auto text_of = [](const Count& count, std::string_view what) {
    return fmt::format("'{}' members {}; the first is {}", count.num_members, what, count.first);
  };
  if (of_no_sample_.num_members > 0) {
    std::string text = text_of(of_no_sample_, "belong to no sample");
    if (MissesSamples(found)) {
      found.AddRemark(std::move(text), of_no_sample_.num_members);
    } else {
      found.left_out.AddRemark(text, of_no_sample_.num_members, /*wanted=*/true);
    }
  }
  ReportSplit(found);
  if (unused_.num_members == 0) return;
  // The spec names what is used, so the rest is wanted to be left out.
  found.left_out.AddRemark(text_of(unused_, "are not named by the dataset"), unused_.num_members,
                           /*wanted=*/true);
}

}  // namespace tidemill::storage
