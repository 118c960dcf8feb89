#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "service/doctor/doctor.h"

namespace sluice::cli {

/// Adds `sluice doctor`: what this host gives and lacks, each with what to do.
CLI::App* add_doctor(CLI::App& app, int& exit_status);

/// The findings for people, one or two lines each, none wider than the style. Pure.
std::string doctor_text(const std::vector<Finding>& findings, const Style& style);

/// The same as one JSON object on one line. `removed`: groups that --clean has removed. Pure.
std::string doctor_json(const std::vector<Finding>& findings,
                        const std::vector<std::string>& removed);

}  // namespace sluice::cli
