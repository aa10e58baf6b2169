#include "cli/tidemill.h"

int main(int argc, char** argv) { return tidemill::cli::RunCommandLine(argc, argv); }
