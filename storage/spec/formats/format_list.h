// Lists every format. To add one, write two lines here; see file_format.h.
#pragma once

#include "config/spec_list.h"
#include "storage/spec/formats/binary_format.h"
#include "storage/spec/formats/csv_format.h"
#include "storage/spec/formats/jsonl_format.h"
#include "storage/spec/formats/plugin_format.h"
#include "storage/spec/formats/single_file_format.h"
#include "storage/spec/formats/tar_format.h"
#include "storage/spec/formats/tfrecord_format.h"

namespace tidemill::storage {

// In the order of the reference.
using Formats = config::SpecList<CsvFormat,         //
                                 BinaryFormat,      //
                                 SingleFileFormat,  //
                                 JsonlFormat,       //
                                 TarFormat,         //
                                 TfrecordFormat,    //
                                 PluginFormat>;

}  // namespace tidemill::storage
