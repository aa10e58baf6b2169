#include "storage/direct/direct_answer.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "storage/compression/decoder.h"
#include "storage/formats/format.h"
#include "storage/spec/dataset_path.h"

namespace tidemill::storage {

namespace {

using direct::AnswerHeader;
using direct::AnswerLayout;
using direct::kNoFile;

// A descriptor of an unpacked data file; none for one that is packed or cannot be opened.
Descriptor Open(const DatasetIndex& index, FileSystem& source, FileId file) {
  const std::string* const path = index.PathOf(file);
  if (path == nullptr || IsObjectPath(*path)) return {};
  const absl::StatusOr<OpenFile> opened = source.Open(*path);
  if (!opened.ok()) return {};
  const absl::StatusOr<bool> is_packed = IsCompressed(*opened);
  if (!is_packed.ok() || *is_packed) return {};
  return Descriptor(fcntl(opened->descriptor(), F_DUPFD_CLOEXEC, 0));
}

// Numbers the files of an answer's rows, and opens those that the client does not have.
class AnswerFiles {
 public:
  AnswerFiles(const DatasetIndex& index, FileSystem& source, FileNumbers& numbers,
              DirectAnswer& answer)
      : index_(index),
        source_(source),
        numbers_(numbers),
        answer_(answer),
        one_file_a_sample_(index.spec().format->Unit() == SampleUnit::kWholeFile) {
    numbers_.StartAnswer();
  }

  // Cuts `rows` off where more files would come up than descriptors fit a message.
  void Number(SampleRows& rows) {
    for (size_t row = 0; row < rows.num_rows(); ++row) {
      if (row > 0 && rows.file[row] == rows.file[row - 1]) {
        of_rows_.push_back(of_rows_.back());
        continue;
      }
      const uint32_t number = NumberOf(rows.file[row]);
      if (number == FileNumbers::kNotGiven) {
        rows.CutAt(row);
        return;
      }
      all_same_ = all_same_ && (row == 0 || number == of_rows_.back());
      of_rows_.push_back(number);
    }
  }

  bool all_same() const { return all_same_; }
  const std::vector<uint32_t>& of_rows() const { return of_rows_; }
  const std::vector<uint32_t>& given() const { return given_; }

 private:
  uint32_t NumberOf(FileId file) {
    if (one_file_a_sample_) return kNoFile;  // Handing them out costs more than reading them.
    if (const uint32_t number = numbers_.Find(file); number != FileNumbers::kNotGiven) {
      return number;
    }
    if (unreadable_.contains(file)) return kNoFile;
    if (given_.size() == direct::kMaxDescriptors) return FileNumbers::kNotGiven;
    Descriptor descriptor = Open(index_, source_, file);
    if (!descriptor.is_open()) {
      unreadable_[file] = true;
      return kNoFile;
    }
    answer_.descriptors.push_back(std::move(descriptor));
    given_.push_back(numbers_.Give(file));
    return given_.back();
  }

  const DatasetIndex& index_;
  FileSystem& source_;
  FileNumbers& numbers_;
  DirectAnswer& answer_;
  const bool one_file_a_sample_;
  bool all_same_ = true;
  std::vector<uint32_t> of_rows_;
  std::vector<uint32_t> given_;
  absl::flat_hash_map<FileId, bool> unreadable_;
};

template <typename T>
uint32_t LabelFlags(const LabelRows<T>& labels, uint32_t has, uint32_t some_lack) {
  if (labels.num_valid == 0) return 0;
  return labels.num_valid == labels.values.size() ? has : has | some_lack;
}

AnswerHeader HeaderOf(const SampleRows& rows, const AnswerFiles& files, PayloadCut cut,
                      int64_t record_bytes) {
  AnswerHeader header{.num_keys = static_cast<uint32_t>(rows.num_keys),
                      .num_rows = static_cast<uint32_t>(rows.num_rows()),
                      .num_problems = static_cast<uint32_t>(rows.problems.size()),
                      .num_files = static_cast<uint32_t>(files.given().size()),
                      .cut_offset = static_cast<uint32_t>(cut.offset),
                      .cut_size = static_cast<uint32_t>(cut.size)};
  header.flags =
      LabelFlags(rows.class_label, direct::kHasClassLabels, direct::kSomeLackClassLabels) |
      LabelFlags(rows.real_label, direct::kHasRealLabels, direct::kSomeLackRealLabels);
  if (files.all_same()) {
    header.flags |= direct::kOneFile;
    header.one_file = files.of_rows().empty() ? kNoFile : files.of_rows().front();
  }
  if (record_bytes > 0) {
    header.flags |= direct::kOneSize;
    header.record_bytes = record_bytes;
  }
  for (const SampleRows::Problem& problem : rows.problems) {
    if (problem.is_final) header.text_bytes += static_cast<uint32_t>(problem.reason.size());
  }
  return header;
}

void Write(const AnswerHeader& header, const SampleRows& rows, const AnswerFiles& files,
           std::vector<std::byte>& bytes) {
  const AnswerLayout layout(header);
  bytes.resize(sizeof(header) + layout.total);
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::byte* const body = bytes.data() + sizeof(header);
  const auto put = [&](size_t offset, const auto& values) {
    if (!values.empty()) {
      std::memcpy(body + offset, values.data(), values.size() * sizeof(values[0]));
    }
  };
  const auto put_if = [&](uint32_t flag, size_t offset, const auto& values) {
    if ((header.flags & flag) != 0) put(offset, values);
  };
  put(layout.new_files, files.given());
  if (!files.all_same()) put(layout.file, files.of_rows());
  put(layout.byte_from, rows.byte_from);
  if ((header.flags & direct::kOneSize) == 0) put(layout.size, rows.size);
  put(layout.hash, rows.hash);
  put(layout.event_time, rows.event_time);
  put_if(direct::kHasClassLabels, layout.class_label, rows.class_label.values);
  put_if(direct::kSomeLackClassLabels, layout.class_validity, rows.class_label.validity);
  put_if(direct::kHasRealLabels, layout.real_label, rows.real_label.values);
  put_if(direct::kSomeLackRealLabels, layout.real_validity, rows.real_label.validity);
  std::byte* problem_at = body + layout.problems;
  std::byte* text_at = body + layout.text;
  for (const SampleRows::Problem& problem : rows.problems) {
    const size_t text_bytes = problem.is_final ? problem.reason.size() : 0;
    const direct::ProblemEntry entry{.position = static_cast<uint32_t>(problem.position),
                                     .text_bytes = static_cast<uint32_t>(text_bytes)};
    std::memcpy(problem_at, &entry, sizeof(entry));
    std::memcpy(text_at, problem.reason.data(), text_bytes);
    problem_at += sizeof(entry);
    text_at += text_bytes;
  }
}

}  // namespace

uint32_t FileNumbers::Find(FileId file) {
  const auto found = number_of_.find(file);
  if (found == number_of_.end()) return kNotGiven;
  entries_[found->second].last_answer = answer_;
  return found->second;
}

uint32_t FileNumbers::Give(FileId file) {
  const auto oldest = std::min_element(
      entries_.begin(), entries_.end(),
      [](const Entry& a, const Entry& b) { return a.last_answer < b.last_answer; });
  if (oldest->last_answer != 0) number_of_.erase(oldest->file);
  *oldest = {.file = file, .last_answer = answer_};
  const auto number = static_cast<uint32_t>(oldest - entries_.begin());
  number_of_[file] = number;
  return number;
}

void FileNumbers::Forget(uint32_t number) {
  if (number >= entries_.size() || entries_[number].last_answer == 0) return;
  number_of_.erase(entries_[number].file);
  entries_[number] = {};
}

void MakeAnswer(const DatasetIndex& index, SampleLookup& lookup, const AnsweredFiles& files,
                std::span<const int64_t> keys, const BlockLimits& limits, SampleRows& rows,
                DirectAnswer& answer) {
  lookup.Find(keys, limits, rows);
  AnswerFiles numbered(index, files.source, files.numbers, answer);
  numbered.Number(rows);
  Write(HeaderOf(rows, numbered, CutOf(index.spec()), lookup.record_bytes()), rows, numbered,
        answer.bytes);
  answer.num_keys = rows.num_keys;
}

}  // namespace tidemill::storage
