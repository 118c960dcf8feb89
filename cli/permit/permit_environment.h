#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

namespace sluice::cli {

/// Adds to a submit on whose permit this process runs, or that its environment does not say.
void add_parent(boost::json::object& body);

/// What proves to the daemon that a job's command works on its permit; empty: the answer does not
/// tell.
std::string permit_of(const boost::json::object& job);

/// Tells the command of a job that runs on whose permit it works, what that holds, and at which
/// socket more can be had. `permit`: see `permit_of`; empty: it is told nothing.
void tell_permit(const boost::json::object& job, const std::string& permit,
                 const std::string& socket, std::map<std::string, std::string>& environment);

}  // namespace sluice::cli
