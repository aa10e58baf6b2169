#include "cli/command_line.h"

int main(int argc, char** argv) { return tidemill::cli::RunCommandLine(argc, argv); }
