#include "service/protocol/attach_body.h"

#include <array>
#include <boost/json/array.hpp>

#include "service/http/received_descriptors.h"
#include "service/protocol/body.h"

namespace sluice {
namespace {
namespace json = boost::json;

constexpr std::size_t kMostControllers = 256;
constexpr std::size_t kMostPath = 4096;

using Directories = std::vector<SentDirectory>;

constexpr std::array<BodyField<SentDirectory>, 2> kDirectoryFields{
    {{"controllers",
      [](auto& in, auto& to) {
        return read_line({"directories." + in.field, in.value}, kMostControllers, to.controllers);
      }},
     {"path", [](auto& in, auto& to) {
        return read_line({"directories." + in.field, in.value}, kMostPath, to.path);
      }}}};

MaybeError read_directories(const Given& given, Directories& directories) {
  const json::array* list = given.value.if_array();
  if (!list || list->empty() || list->size() > http::ReceivedDescriptors::kMost) {
    return bad_field(given.field, "must be a list of 1 to " +
                                      std::to_string(http::ReceivedDescriptors::kMost) +
                                      " objects, one for each descriptor");
  }
  for (const json::value& each : *list) {
    if (!each.is_object()) return bad_field(given.field, "must be a list of objects");
    SentDirectory directory;
    if (auto error =
            read_members<SentDirectory>(each.get_object(), kDirectoryFields, {}, directory)) {
      return error;
    }
    directories.push_back(std::move(directory));
  }
  return std::nullopt;
}

constexpr std::array<BodyField<Directories>, 1> kAttachFields{{{"directories", read_directories}}};

}  // namespace

std::variant<Directories, ApiError> parse_attach_body(std::string_view text) {
  auto read = read_body<Directories>(text, kAttachFields);
  const auto* directories = std::get_if<Directories>(&read);
  if (directories && directories->empty()) return bad_field("directories", "is missing");
  return read;
}

}  // namespace sluice
