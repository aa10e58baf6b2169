#include "storage/client/direct_block.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "base/usage/account.h"
#include "batch/labels.h"
#include "storage/gather/block_pool.h"

namespace tidemill::storage::direct {

namespace {

constexpr int64_t kMaxPayloadBytes = int64_t{256} << 20;

// What absent labels look like.
alignas(64) constexpr std::array<int64_t, kMaxKeys> kZeros{};

batch::Column NumberColumn(std::string_view name, batch::DataType type, batch::Buffer data) {
  return {.name = std::string(name), .type = type, .data = std::move(data)};
}

// A column of labels of an answer, or of none.
batch::Column LabelColumn(std::string_view name, batch::DataType type, const batch::Buffer& body,
                          size_t rows, std::pair<bool, size_t> values,
                          std::pair<bool, size_t> validity) {
  const size_t bytes = rows * sizeof(int64_t);
  const auto zeros = [](size_t size) { return batch::Buffer::Wrap(kZeros.data(), size, nullptr); };
  if (!values.first) {
    batch::Column column = NumberColumn(name, type, zeros(bytes));
    column.validity = zeros((rows + 7) / 8);
    return column;
  }
  batch::Column column = NumberColumn(name, type, body.Slice(values.second, bytes));
  if (validity.first) column.validity = body.Slice(validity.second, (rows + 7) / 8);
  return column;
}

// Reads of some keys, put back in the order asked, whoever answered.
class RepairedRead {
 public:
  explicit RepairedRead(batch::Batch direct) {
    num_rows_ = direct.num_rows();
    parts_.push_back(std::move(direct));
  }

  void TakeRow(size_t position, int64_t row) { rows_.emplace_back(position, row); }
  void TakeMissing(size_t position, v1::MissingSample missing) {
    missing_.emplace_back(position, std::move(missing));
  }

  // Reads the keys at `positions` over gRPC.
  absl::Status ReadUnread(std::span<const int64_t> keys, std::span<const uint32_t> positions,
                          const OtherWay& other_way) {
    std::vector<int64_t> unread;
    for (const uint32_t position : positions) unread.push_back(keys[position]);
    size_t next = 0;
    const auto take = [&](batch::Batch batch, std::vector<v1::MissingSample> missing) {
      size_t row = 0, lost = 0;
      const std::span<const int64_t> found = batch.keys();
      for (; row + lost < found.size() + missing.size() && next < unread.size(); ++next) {
        if (row < found.size() && found[row] == unread[next]) {
          TakeRow(positions[next], num_rows_ + static_cast<int64_t>(row++));
        } else if (lost < missing.size() && missing[lost].sample_key() == unread[next]) {
          TakeMissing(positions[next], std::move(missing[lost++]));
        } else {
          return Internal("storage answered with other keys than {}", unread[next]);
        }
      }
      num_rows_ += batch.num_rows();
      if (batch.num_rows() > 0) parts_.push_back(std::move(batch));
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(other_way(unread, take));
    if (next != unread.size()) return Internal("storage left {} unanswered", unread[next]);
    return absl::OkStatus();
  }

  absl::Status Deliver(const SampleSink& sink) {
    std::sort(rows_.begin(), rows_.end());
    std::stable_sort(missing_.begin(), missing_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<int64_t> order;
    for (const auto& [position, row] : rows_) order.push_back(row);
    std::vector<v1::MissingSample> missing;
    for (auto& [position, sample] : missing_) missing.push_back(std::move(sample));
    RETURN_IF_ERROR(batch::AlignLabels(parts_));
    ASSIGN_OR_RETURN(const batch::Batch all, batch::Concatenate(parts_));
    return sink(all.Take(order), std::move(missing));
  }

 private:
  std::vector<batch::Batch> parts_;
  int64_t num_rows_ = 0;  // The rows of parts_.
  std::vector<std::pair<size_t, int64_t>> rows_;
  std::vector<std::pair<size_t, v1::MissingSample>> missing_;
};

}  // namespace

absl::StatusOr<Block> Block::Make(Answer answer, std::span<const int64_t> keys) {
  Block block;
  block.answer_ = std::move(answer);
  block.keys_ = keys;
  RETURN_IF_ERROR(block.Gather());
  return block;
}

absl::Status Block::Gather() {
  const Extents& extents = answer_.extents;
  const size_t rows = extents.num_rows();
  offsets_ = TakeBlock((rows + 1) * sizeof(int64_t));
  const std::span<int64_t> offsets = offsets_.MutableAs<int64_t>();
  const int64_t bytes = PayloadOffsets(extents, offsets);
  if (bytes < 0 || bytes > kMaxPayloadBytes) {
    return InvalidArgument("an answer came with {} bytes of samples", bytes);
  }
  usage::Add({.bytes_read = bytes});
  payload_ = TakeBlock(static_cast<size_t>(bytes));
  PrefetchPages(extents);
  storage::Gather(extents, offsets, payload_.mutable_data(), bad_rows_);
  if (bad_rows_.empty() && answer_.problems.empty()) return absl::OkStatus();

  size_t bad = 0, problem = 0;
  row_positions_.reserve(rows);
  for (uint32_t position = 0; position < keys_.size(); ++position) {
    if (problem < answer_.problems.size() && answer_.problems[problem].position == position) {
      if (answer_.problems[problem++].text_bytes == 0) unread_.push_back(position);
      continue;
    }
    if (bad < bad_rows_.size() && bad_rows_[bad] == row_positions_.size()) {
      ++bad;
      unread_.push_back(position);
    }
    row_positions_.push_back(position);
  }
  return absl::OkStatus();
}

std::vector<uint32_t> Block::damaged_files() const {
  std::vector<uint32_t> files;
  const bool one_file = (answer_.header.flags & kOneFile) != 0;
  for (const uint32_t row : bad_rows_) {
    const uint32_t file = one_file ? answer_.header.one_file : answer_.extents.file[row];
    if (file < kMaxFiles) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

absl::StatusOr<batch::Batch> Block::MakeBatch() {
  const size_t rows = answer_.extents.num_rows();
  const AnswerLayout layout(answer_.header);
  const auto has = [&](uint32_t flag) { return (answer_.header.flags & flag) != 0; };
  batch::Buffer keys = TakeBlock(rows * sizeof(int64_t));
  if (row_positions_.empty() && rows > 0) {
    std::memcpy(keys.mutable_data(), keys_.data(), keys.size());
  } else {
    for (size_t row = 0; row < rows; ++row) {
      keys.MutableAs<int64_t>()[row] = keys_[row_positions_[row]];
    }
  }
  using enum batch::DataType;
  batch::Batch batch(static_cast<int64_t>(rows));
  RETURN_IF_ERROR(batch.Set(NumberColumn(batch::kKeyColumn, kInt64, std::move(keys))));
  RETURN_IF_ERROR(
      batch.Set(NumberColumn(batch::kEventTimeColumn, kInt64,
                             answer_.body.Slice(layout.event_time, rows * sizeof(int64_t)))));
  RETURN_IF_ERROR(batch.Set(LabelColumn(batch::kClassLabelColumn, kInt64, answer_.body, rows,
                                        {has(kHasClassLabels), layout.class_label},
                                        {has(kSomeLackClassLabels), layout.class_validity})));
  RETURN_IF_ERROR(batch.Set(LabelColumn(batch::kRealLabelColumn, kFloat64, answer_.body, rows,
                                        {has(kHasRealLabels), layout.real_label},
                                        {has(kSomeLackRealLabels), layout.real_validity})));
  batch::Column payload{.name = std::string(batch::kPayloadColumn), .type = kBinary};
  payload.data = std::move(payload_);
  payload.offsets = std::move(offsets_);
  RETURN_IF_ERROR(batch.Set(std::move(payload)));
  return batch;
}

std::vector<v1::MissingSample> Block::FinalProblems() const {
  std::vector<v1::MissingSample> missing;
  size_t text = 0;
  for (const ProblemEntry& problem : answer_.problems) {
    if (problem.text_bytes == 0) continue;
    v1::MissingSample& sample = missing.emplace_back();
    sample.set_sample_key(keys_[problem.position]);
    sample.set_reason(std::string(answer_.text.substr(text, problem.text_bytes)));
    sample.set_deleted(true);  // All other keys are requested again.
    text += problem.text_bytes;
  }
  return missing;
}

absl::Status Block::Deliver(const SampleSink& sink, const OtherWay& other_way) {
  ASSIGN_OR_RETURN(batch::Batch batch, MakeBatch());
  std::vector<v1::MissingSample> missing = FinalProblems();
  if (unread_.empty()) return sink(std::move(batch), std::move(missing));
  RepairedRead mended(std::move(batch));
  size_t bad = 0;
  for (uint32_t row = 0; row < row_positions_.size(); ++row) {
    if (bad < bad_rows_.size() && bad_rows_[bad] == row) {
      ++bad;
    } else {
      mended.TakeRow(row_positions_[row], row);
    }
  }
  size_t next = 0;
  for (const ProblemEntry& problem : answer_.problems) {
    if (problem.text_bytes > 0) mended.TakeMissing(problem.position, std::move(missing[next++]));
  }
  RETURN_IF_ERROR(mended.ReadUnread(keys_, unread_, other_way));
  return mended.Deliver(sink);
}

}  // namespace tidemill::storage::direct
