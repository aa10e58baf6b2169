// Lists every format. To add one, write two lines here; see file_format.h.
#pragma once

#include "config/spec_list.h"
#include "storage/client/formats/binary_format.h"
#include "storage/client/formats/csv_format.h"
#include "storage/client/formats/jsonl_format.h"
#include "storage/client/formats/single_file_format.h"
#include "storage/client/formats/tar_format.h"
#include "storage/client/formats/tfrecord_format.h"

namespace tidemill::storage {

// In the order of the reference.
using Formats = config::SpecList<CsvFormat,         //
                                 BinaryFormat,      //
                                 SingleFileFormat,  //
                                 JsonlFormat,       //
                                 TarFormat,         //
                                 TfrecordFormat>;

}  // namespace tidemill::storage
