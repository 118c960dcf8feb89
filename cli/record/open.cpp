#include "cli/record/open.h"

#include <iostream>

#include "cli/settings/config_from.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {

namespace {

std::string folder_of(const RecordPlace& place) {
  if (!place.record.empty()) return place.record;
  return required_state_folder(place.state_dir, config_from(place.config)) + "/" +
         record::kFolderName;
}

}  // namespace

record::RecordFolder open_record(const RecordPlace& place) {
  auto folder = record::RecordFolder::open_to_read(folder_of(place));
  if (const auto* problem = std::get_if<std::string>(&folder)) {
    refuse("no record: " + *problem +
           " (a daemon records where it has a state folder, as by `sluice serve --state-dir "
           "FOLDER`; give the same --state-dir here; only root and the daemon's user can read it)");
  }
  return std::move(std::get<record::RecordFolder>(folder));
}

void warn_of_problems(const std::vector<record::ReadSegment>& segments,
                      const record::RecordFolder& folder) {
  for (const auto& [file, summary] : segments) {
    for (const std::string& each : summary.problems) {
      std::cerr << "sluice: " << folder.path_of(file.number) << ": " << harmless(each) << "\n";
    }
  }
}

}  // namespace sluice::cli
