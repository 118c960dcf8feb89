#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

namespace sluice::cli {

/// Sets the `parent` of a submit to the permit on which this process runs; empty if its environment
/// names none.
void add_parent(boost::json::object& body);

/// The token that proves to the daemon that a job's command works on its permit; empty if the
/// answer has none.
std::string permit_of(const boost::json::object& job);

/// Tells the command of a running job which permit it works on, what that permit holds, and the
/// socket to ask for more. `permit`: see `permit_of`; if empty, the command is told nothing.
void tell_permit(const boost::json::object& job, const std::string& permit,
                 const std::string& socket, std::map<std::string, std::string>& environment);

}  // namespace sluice::cli
