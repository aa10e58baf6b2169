#include "samples/dataset_schema.h"

namespace tidemill::samples {
transform::SampleSchema SchemaOf(const storage::DatasetSpec& dataset) {
  transform::SampleSchema schema;
  const storage::FileFormat& format = *dataset.format;
  schema.payload = format.Payload();
  if (const auto text = format.Delimited()) {
    schema.csv = text->dialect;
  }
  if (const auto columns = format.Columns(); !columns.empty()) {
    schema.columns.emplace(columns.begin(), columns.end());
  }
  schema.record_bytes = format.RecordBytes();
  if (schema.record_bytes && dataset.label.record) {
    *schema.record_bytes -= dataset.label.record->width;
  }
  schema.time_zone = dataset.event_time.time_zone;
  if (dataset.series) schema.history = dataset.series->history;
  const storage::LabelSpec label = storage::EffectiveLabel(dataset);
  if (label.is_given()) {
    const bool is_class = label.kind == storage::LabelKind::kClass;
    // A series may well predict a column from its own past.
    if (!dataset.series) schema.label_column = label.column;
    schema.label = is_class ? transform::LabelKind::kClass : transform::LabelKind::kReal;
    schema.num_classes = static_cast<int64_t>(label.classes.size());
  }
  return schema;
}

}  // namespace tidemill::samples
