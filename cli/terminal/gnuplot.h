#pragma once

#include <optional>
#include <string>

namespace sluice::cli {

/// The text as a string of a gnuplot script.
std::string gnuplot_quoted(const std::string& text);

/// The line of a script that selects the kind of picture: SVG if the name ends in ".svg", else PNG.
/// The size is "WIDTH,HEIGHT" in pixels; the font's, of PNG, is in points.
std::string gnuplot_terminal(const std::string& picture, const std::string& size, int font);

/// Runs gnuplot on the script; returns one line for people on failure, else nullopt.
std::optional<std::string> run_gnuplot(const std::string& script);

}  // namespace sluice::cli
