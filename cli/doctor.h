#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "service/doctor/doctor.h"

namespace sluice::cli {

/// The parts of its state that a daemon with this status cannot store at the moment. `place`: its
/// socket. A part whose file is of a newer version is left out if the file is in `told`, since
/// there is a finding of that. Pure.
std::vector<Finding> unstored_by(const boost::json::object& status, const std::string& place,
                                 const std::vector<NewerFile>& told);

/// The findings for people, one or two lines each, no wider than the style. Pure.
std::string doctor_text(const std::vector<Finding>& findings, const Style& style);

/// The same as one JSON object on one line. `removed`: groups that --clean removed. Pure.
std::string doctor_json(const std::vector<Finding>& findings,
                        const std::vector<std::string>& removed);

}  // namespace sluice::cli
