#include "storage/formats/tfrecord_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "records/crc32c.h"

namespace tidemill::storage {

namespace {

constexpr size_t kLengthBytes = 8;
constexpr size_t kChecksumBytes = 4;
constexpr size_t kHeaderBytes = kTfrecordHeaderBytes;
constexpr uint64_t kFrameBytes = kHeaderBytes + kChecksumBytes;
// How many bytes are summed without use for one that is read.
constexpr uint64_t kVainSums = 4;

template <typename T>
T LittleEndian(const char* bytes) {
  static_assert(std::endian::native == std::endian::little);
  T number;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

bool SumFits(std::string_view bytes, const char* stored) {
  return MaskCrc32c(Crc32c(bytes)) == LittleEndian<uint32_t>(stored);
}

bool LengthSumFits(const char* header) {
  return SumFits({header, kLengthBytes}, header + kLengthBytes);
}

}  // namespace

std::optional<uint64_t> TfrecordLength(std::string_view header) {
  if (!LengthSumFits(header.data())) return std::nullopt;
  return LittleEndian<uint64_t>(header.data());
}

struct TfrecordReader::Header {
  explicit Header(std::string_view bytes)
      : length(LittleEndian<uint64_t>(bytes.data())), sum_fits(LengthSumFits(bytes.data())) {}

  uint64_t length;
  bool sum_fits;
};

TfrecordReader::TfrecordReader(const OpenFile& file, int64_t file_size, uint64_t max_record,
                               bool grows)
    : file_(file), file_size_(file_size), max_record_(max_record), grows_(grows) {}

absl::StatusOr<TfrecordReader::Step> TfrecordReader::Next(std::string_view window, int64_t offset,
                                                          bool last) {
  if (!first_offset_) first_offset_ = offset;
  if (to_skip_ > 0) {
    const size_t skipped = std::min<uint64_t>(to_skip_, window.size());
    to_skip_ -= skipped;
    return Step{{}, skipped};
  }
  if (lost_from_) return Search(window, offset, last);
  if (window.size() >= kHeaderBytes) return TakeRecord(window, offset, last);
  if (!last || window.empty()) return Step{};
  if (grows_) {
    waits_ = true;
    return Step{};
  }
  return StartSearch(/*was_cut=*/true, window, offset, last);
}

absl::StatusOr<TfrecordReader::Step> TfrecordReader::TakeRecord(std::string_view window,
                                                                int64_t offset, bool last) {
  const Header header(window);
  const bool fits = Fits(header.length, offset);
  if (header.sum_fits) {
    if (fits) return TakeSummed(header, window, offset, last);
    if (!grows_) return StartSearch(/*was_cut=*/true, window, offset, last);
    waits_ = true;
    return Step{};
  }
  // The length may be right, and only its checksum damaged.
  if (fits && header.length <= max_record_ && MaySum(offset)) {
    if (window.size() >= kFrameBytes + header.length) {
      const std::string_view bytes = window.substr(kHeaderBytes, header.length);
      const auto size = static_cast<int64_t>(kFrameBytes + header.length);
      if (SumFits(bytes, bytes.data() + bytes.size())) {
        return Step{{TfrecordPart::Kind::kRecord, offset, size, bytes}, static_cast<size_t>(size)};
      }
      summed_in_vain_ += header.length;
    } else if (!last) {
      return Step{};
    }
  }
  return StartSearch(/*was_cut=*/false, window, offset, last);
}

// The length of the record at the front is what was written.
absl::StatusOr<TfrecordReader::Step> TfrecordReader::TakeSummed(const Header& header,
                                                                std::string_view window,
                                                                int64_t offset, bool last) {
  using Kind = TfrecordPart::Kind;
  const auto size = static_cast<int64_t>(kFrameBytes + header.length);
  if (header.length > max_record_ || !MaySum(offset)) {
    ASSIGN_OR_RETURN(const bool follows, RecordFollows(offset + size));
    if (!follows) return StartSearch(/*was_cut=*/true, window, offset, last);
  }
  if (header.length > max_record_) {
    to_skip_ = header.length + kChecksumBytes;
    return Step{{Kind::kTooLong, offset, size, {}}, kHeaderBytes};
  }
  if (std::ssize(window) < size) {
    return last ? StartSearch(/*was_cut=*/true, window, offset, last) : Step{};
  }
  const std::string_view bytes = window.substr(kHeaderBytes, header.length);
  const bool sum_fits = SumFits(bytes, bytes.data() + bytes.size());
  if (!sum_fits) {
    ASSIGN_OR_RETURN(const bool follows, RecordFollows(offset + size));
    if (!follows) {
      summed_in_vain_ += header.length;
      return StartSearch(/*was_cut=*/true, window, offset, last);
    }
  }
  return Step{{sum_fits ? Kind::kRecord : Kind::kWrongSum, offset, size, bytes},
              static_cast<size_t>(size)};
}

absl::StatusOr<TfrecordReader::Step> TfrecordReader::StartSearch(bool was_cut,
                                                                 std::string_view window,
                                                                 int64_t offset, bool last) {
  was_cut_ = was_cut;
  lost_from_ = zeros_from_ = offset;
  return Search(window, offset, last);
}

absl::StatusOr<TfrecordReader::Step> TfrecordReader::Search(std::string_view window, int64_t offset,
                                                            bool last) {
  for (size_t at = 0; at < window.size(); ++at) {
    const int64_t here = offset + static_cast<int64_t>(at);
    const bool may_begin = here > *lost_from_ && window.size() - at >= kFrameBytes;
    if (!may_begin && !last && here > *lost_from_) return Step{{}, at};
    if (may_begin) {
      ASSIGN_OR_RETURN(const Verdict verdict, BeginsRecord(window.substr(at), here, last));
      if (verdict == Verdict::kMoreBytes) return Step{{}, at};
      if (verdict == Verdict::kYes) {
        const int64_t from = *lost_from_;
        lost_from_.reset();
        return Step{{TfrecordPart::Kind::kLost, from, here - from, {}}, at};
      }
    }
    if (window[at] != '\0') zeros_from_ = here + 1;
  }
  return Step{{}, window.size()};
}

absl::StatusOr<TfrecordReader::Verdict> TfrecordReader::BeginsRecord(std::string_view bytes,
                                                                     int64_t offset, bool last) {
  const auto length = LittleEndian<uint64_t>(bytes.data());
  if (!Fits(length, offset) || !LengthSumFits(bytes.data())) return Verdict::kNo;
  const auto size = static_cast<int64_t>(kFrameBytes + length);
  const auto verdict_of = [](bool yes) { return yes ? Verdict::kYes : Verdict::kNo; };
  if (length > max_record_ || !MaySum(offset)) {
    ASSIGN_OR_RETURN(const bool follows, RecordFollows(offset + size));
    return verdict_of(follows);
  }
  if (std::ssize(bytes) < size) return last ? Verdict::kNo : Verdict::kMoreBytes;
  if (SumFits(bytes.substr(kHeaderBytes, length), bytes.data() + kHeaderBytes + length)) {
    return Verdict::kYes;
  }
  ASSIGN_OR_RETURN(const bool follows, RecordFollows(offset + size));
  if (!follows) summed_in_vain_ += length;
  return verdict_of(follows);
}

bool TfrecordReader::Fits(uint64_t length, int64_t offset) const {
  const int64_t room = file_size_ - offset - static_cast<int64_t>(kFrameBytes);
  return room >= 0 && length <= static_cast<uint64_t>(room);
}

absl::StatusOr<bool> TfrecordReader::RecordFollows(int64_t offset) const {
  // A part of a header may be the beginning of one.
  if (file_size_ - offset < static_cast<int64_t>(kHeaderBytes)) return true;
  std::array<char, kHeaderBytes> header;
  ASSIGN_OR_RETURN(const size_t got, file_.ReadAt(offset, header.data(), header.size()));
  return got < header.size() || LengthSumFits(header.data());
}

bool TfrecordReader::MaySum(int64_t offset) const {
  return summed_in_vain_ <=
         max_record_ + kVainSums * static_cast<uint64_t>(offset - *first_offset_);
}

}  // namespace tidemill::storage
