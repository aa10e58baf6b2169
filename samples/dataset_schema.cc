#include "samples/dataset_schema.h"

#include <variant>

#include "base/overloaded.h"

namespace tidemill::samples {
transform::SampleSchema SchemaOf(const storage::DatasetSpec& dataset) {
  transform::SampleSchema schema;
  std::visit(
      Overloaded{
          [&](const storage::CsvFormat& csv) {
            schema.payload = transform::PayloadKind::kCsv;
            if (!csv.columns.empty()) schema.columns = csv.columns;
            if (!csv.delimiter.empty()) schema.delimiter = csv.delimiter[0];
            schema.quote.reset();
            if (!csv.quote.empty()) schema.quote = csv.quote[0];
          },
          [&](const storage::BinaryFormat& binary) {
            schema.payload = transform::PayloadKind::kRecord;
            schema.record_bytes = binary.record_bytes;
            if (const auto& label = dataset.label.record) {
              *schema.record_bytes -= label->width;
            }
          },
          [&](const storage::SingleFileFormat&) { schema.payload = transform::PayloadKind::kFile; },
          [&](const storage::JsonlFormat&) { schema.payload = transform::PayloadKind::kJson; },
          [&](const storage::TarFormat&) { schema.payload = transform::PayloadKind::kFile; },
          [&](const storage::TfrecordFormat&) {
            schema.payload = transform::PayloadKind::kTfRecord;
          }},
      dataset.format);
  if (dataset.series) schema.history = dataset.series->history;
  const storage::LabelSpec label = storage::EffectiveLabel(dataset);
  if (label.is_given()) {
    const bool is_class = label.kind == storage::LabelKind::kClass;
    schema.label = is_class ? transform::LabelKind::kClass : transform::LabelKind::kReal;
    schema.num_classes = static_cast<int64_t>(label.classes.size());
  }
  return schema;
}

}  // namespace tidemill::samples
